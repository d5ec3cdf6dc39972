internal import JobKit
internal import StrictJSON
internal import Synchronization

/// Counts the operations and bytes that one job holds, and refuses any excess before it is created.
final class RunBudget: Sendable {
    private struct Held {
        var operations: Int
        var bytes: Int
    }

    /// The budget that it is a part of; nil for that of the job.
    private let outer: RunBudget?
    private let limits: RunLimits
    private let journal: (any OperationJournal)?
    private let held: Mutex<Held>

    /// - Parameters:
    ///   - past: the journal of earlier runs; nil when there were none.
    ///   - journal: knows the operations of earlier runs.
    init(limits: RunLimits, past: JournalFold?, journal: (any OperationJournal)?) {
        outer = nil
        self.limits = limits
        self.journal = journal
        let histories = past?.histories ?? [:]
        held = Mutex(
            Held(
                operations: max(1, histories.count),
                bytes: histories.values.reduce(0) { $0 + $1.bytes(atMost: limits.bytesMax) }))
    }

    private init(in outer: RunBudget) {
        self.outer = outer
        (limits, journal) = (outer.limits, outer.journal)
        held = Mutex(Held(operations: 0, bytes: 0))
    }

    /// A budget whose reservations count in this one until it leaves.
    func part() -> RunBudget { RunBudget(in: self) }

    /// Ends all its reservations: what it counted is no longer in memory.
    func leave() {
        let own = held.withLock { held in
            defer { held = Held(operations: 0, bytes: 0) }
            return held
        }
        outer?.release(own)
    }

    private func release(_ part: Held) {
        held.withLock { held in
            held.operations -= part.operations
            held.bytes -= part.bytes
        }
        outer?.release(part)
    }

    /// Reserves room for operations below `path`. Those of an earlier run have theirs already.
    /// - Parameter steps: the last parts of their paths.
    /// - Throws: `job.too_large` when there is not enough; then nothing is reserved.
    func enter(_ steps: some Sequence<String>, below path: [String]) throws(AOperationError) {
        var count = 0
        for step in steps where journal?.history(of: path + [step]) == nil { count += 1 }
        guard let wanted = excess(ofOperations: count) else { return }
        throw AOperationError(
            .jobTooLarge,
            detail:
                "With what this operation runs the job would have \(wanted) operations; allowed are "
                + "\(limits.operationsMax). The members of maps and the runs of repeats count. Shorten the lists, or "
                + "spread the work over several jobs.")
    }

    /// Reserves room for operations.
    /// - Returns: how many there would be, when that is too many.
    private func excess(ofOperations count: Int) -> Int? {
        if let outer, let wanted = outer.excess(ofOperations: count) { return wanted }
        return held.withLock { held in
            let wanted = held.operations + count
            if outer == nil, wanted > limits.operationsMax { return wanted }
            held.operations = wanted
            return nil
        }
    }

    /// Reserves room for bytes; false when there is not enough.
    private func fits(bytes count: Int) -> Bool {
        if let outer, !outer.fits(bytes: count) { return false }
        return held.withLock { held in
            if outer == nil, count > limits.bytesMax - held.bytes { return false }
            held.bytes += count
            return true
        }
    }

    /// Reserves room for data that stays in memory until the job or the part ends.
    /// - Throws: `job.too_large` when there is not enough; then nothing is reserved.
    func keep(_ count: Int) throws(AOperationError) {
        if count == 0 || fits(bytes: count) { return }
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
