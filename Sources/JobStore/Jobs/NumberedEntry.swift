package import JobKit

/// A journal entry with its place in the job's journal, from 1 without gaps.
package struct NumberedEntry: Sendable {
    /// The place.
    package var sequence: Int64
    /// The entry.
    package var entry: JournalEntry

    /// A numbered entry.
    package init(sequence: Int64, entry: JournalEntry) {
        self.sequence = sequence
        self.entry = entry
    }
}
