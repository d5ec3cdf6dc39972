package import JobKit

/// A journal entry with its number in the job's journal, from 1. Those of entries that were removed are missing.
package struct NumberedEntry: Sendable {
    package var sequence: Int64
    package var entry: JournalEntry

    package init(sequence: Int64, entry: JournalEntry) {
        self.sequence = sequence
        self.entry = entry
    }
}
