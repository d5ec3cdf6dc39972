internal import JobKit
internal import StrictJSON
internal import Synchronization

/// Counts the operations and bytes that one job holds, and refuses any excess before it is created.
final class RunBudget: Sendable {
    private struct Held {
        var operations: Int
        var bytes: Int
    }

    private let limits: RunLimits
    private let journal: (any OperationJournal)?
    private let held: Mutex<Held>

    /// - Parameters:
    ///   - past: the journal of earlier runs; nil when there were none.
    ///   - journal: knows the operations of earlier runs.
    init(limits: RunLimits, past: JournalFold?, journal: (any OperationJournal)?) {
        self.limits = limits
        self.journal = journal
        let histories = past?.histories ?? [:]
        held = Mutex(
            Held(
                operations: max(1, histories.count),
                bytes: histories.values.reduce(0) { $0 + $1.bytes(atMost: limits.bytesMax) }))
    }

    /// Reserves room for operations below `path`. Those of an earlier run have theirs already.
    /// - Parameter steps: the last parts of their paths.
    /// - Throws: `job.too_large` when there is not enough; then nothing is reserved.
    func enter(_ steps: some Sequence<String>, below path: [String]) throws(AOperationError) {
        var count = 0
        for step in steps where journal?.history(of: path + [step]) == nil { count += 1 }
        let wanted = held.withLock { held -> Int? in
            let wanted = held.operations + count
            guard wanted <= limits.operationsMax else { return wanted }
            held.operations = wanted
            return nil
        }
        guard let wanted else { return }
        throw AOperationError(
            .jobTooLarge,
            detail:
                "With what this operation runs the job would have \(wanted) operations; allowed are "
                + "\(limits.operationsMax). The members of maps and the runs of repeats count. Shorten the lists, or "
                + "spread the work over several jobs.")
    }

    /// Reserves room for data that stays in memory until the job ends.
    /// - Throws: `job.too_large` when there is not enough; then nothing is reserved.
    func keep(_ count: Int) throws(AOperationError) {
        if count == 0 { return }
        let fits = held.withLock { held in
            guard count <= limits.bytesMax - held.bytes else { return false }
            held.bytes += count
            return true
        }
        if fits { return }
        throw AOperationError(
            .jobTooLarge,
            detail:
                "With the \(count) bytes of this operation the job's operations would have results of more than "
                + "\(limits.bytesMax) bytes together. Take less of each, fetch large content with \"download\", which "
                + "keeps it in files, or spread the work over several jobs.")
    }
}

extension OperationHistory {
    /// The size of its result and its notes.
    fileprivate func bytes(atMost limit: Int) -> Int {
        notes.values.reduce(ending?.result?.body.count ?? 0) { $0 + ($1.encodedCount(upTo: limit) ?? limit) }
    }
}
