internal import JobJournal
internal import JobKit
internal import JobSpec
internal import JobStore

// DESIGN
// A question about the progress of a job waits for no count, and neither does the run: the journal's lock is held for a
// bounded time. A few operations are counted at once. Many are counted elsewhere, on a copy of the fold; until that is
// done, the answer is the last count, if there is one. Entries that are recorded meanwhile are counted behind it, a
// bounded number of them under the lock. From then on each entry counts by itself.

/// The counts of a running job's operations, from the first question about them on.
struct RunCounts {
    /// The most operations that are counted at once, and the most entries.
    private static let (operationsMax, entriesMax) = (1_000, 50)

    private var tally: OperationTally?
    /// The entries since a copy was taken for a count; nil when none is being made.
    private var since: [JournalEntry]?

    /// A count that is made elsewhere.
    struct Draft: Sendable {
        private(set) var tally: OperationTally
        private var fold: JournalFold

        init(_ fold: JournalFold, of spec: JobSpec) {
            self.fold = fold
            tally = OperationTally(fold, of: spec)
        }

        /// Counts entries that were recorded meanwhile.
        mutating func count(_ entries: [JournalEntry]) {
            for entry in entries {
                tally.note(entry, before: fold)
                fold.apply(entry)
                fold.forgetPart(endedBy: entry)
            }
        }
    }

    /// Counts one more entry.
    /// - Parameter fold: without it.
    mutating func note(_ entry: JournalEntry, before fold: JournalFold) {
        tally?.note(entry, before: fold)
        since?.append(entry)
    }

    /// Has the operations counted anew.
    mutating func forget() { (tally, since) = (nil, nil) }

    /// The counts as far as they are known.
    /// - Returns: with `isDraftNeeded` when they are to be counted elsewhere, from a copy of this fold.
    mutating func counts(
        _ fold: JournalFold, of spec: JobSpec
    ) -> (known: OperationCounts?, isDraftNeeded: Bool) {
        if tally?.isStale != false, since == nil {
            guard max(fold.histories.count, OperationTally.size(fold, of: spec)) <= Self.operationsMax else {
                since = []
                return (tally?.counts, true)
            }
            tally = OperationTally(fold, of: spec)
        }
        return (tally?.counts, false)
    }

    /// Takes a count that was made elsewhere, if it is still wanted.
    /// - Returns: entries that it must count before; nil when it is done.
    mutating func take(_ draft: inout Draft) -> [JournalEntry]? {
        guard let entries = since else { return nil }
        guard entries.count <= Self.entriesMax else {
            since = []
            return entries
        }
        draft.count(entries)
        (tally, since) = (draft.tally, nil)
        return nil
    }
}
