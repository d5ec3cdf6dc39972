internal import JobJournal
internal import JobKit
internal import JobSpec
internal import JobStore

// DESIGN
// A question about the progress of a job waits for no count, and neither does the run. A few operations are counted
// at once. Many are counted elsewhere, on a copy of the fold; until that is done, the answer is the last count, if
// there is one. Entries that are recorded meanwhile are counted from zero, so that the sum of both is the count:
// under the journal's lock a thread of low priority does no more than an addition. From then on each entry counts
// by itself.

/// The counts of a running job's operations, from the first question about them on.
struct RunCounts {
    /// The most operations that are counted at once.
    private static let operationsMax = 1_000

    private var tally: OperationTally?
    /// The changes since a copy was taken for a count; nil when none is being made.
    private var since: OperationTally?
    /// The number of the last count that was made elsewhere.
    private var lastDraft = 0

    /// A count to make elsewhere.
    struct Draft: Sendable {
        fileprivate let number: Int
        fileprivate let fold: JournalFold
        fileprivate let spec: JobSpec

        /// Takes long.
        func made() -> OperationTally { OperationTally(fold, of: spec) }
    }

    /// Counts one more entry.
    /// - Parameter fold: without it.
    mutating func note(_ entry: JournalEntry, before fold: JournalFold) {
        tally?.note(entry, before: fold)
        since?.note(entry, before: fold)
    }

    /// Has the operations counted anew.
    mutating func forget() { (tally, since) = (nil, nil) }

    /// The counts as far as they are known.
    /// - Returns: with `draft` when they are to be counted elsewhere.
    mutating func counts(_ fold: JournalFold, of spec: JobSpec) -> (known: OperationCounts?, draft: Draft?) {
        guard tally?.isStale != false, since == nil else { return (tally?.counts, nil) }
        guard max(fold.histories.count, OperationTally.size(fold, of: spec)) <= Self.operationsMax else {
            since = OperationTally(changesOf: spec)
            lastDraft += 1
            return (tally?.counts, Draft(number: lastDraft, fold: fold, spec: spec))
        }
        let tally = OperationTally(fold, of: spec)
        self.tally = tally
        return (tally.counts, nil)
    }

    /// Takes a count that was made elsewhere, unless the operations were forgotten since it was asked for.
    mutating func take(_ made: OperationTally, of draft: Draft) {
        guard draft.number == lastDraft, let since else { return }
        tally = made.adding(since)
        self.since = nil
    }
}
