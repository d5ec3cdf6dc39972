package import JobKit

/// One action on many jobs. The ids of the jobs are stored with it when it is created, in a fixed order, and settled
/// one after the other.
package struct BulkRecord: Sendable, Hashable {
    package enum State: String, Sendable, Hashable, CaseIterable {
        /// Ids are left to settle.
        case running
        case completed
        /// Stopped by a person; ids that were not settled are left alone.
        case cancelled
    }

    package var id: BulkID
    /// The request as canonical JSON.
    package var body: [UInt8]
    /// The maximum number of jobs per second; nil is as fast as the store takes them.
    package var perSecond: Int?
    package var createdAt: Timestamp
    /// The name of the caller who created it.
    package var createdBy: String
    /// The number of ids.
    package var total: Int
    package var state = State.running
    package var done = 0
    package var skipped = 0
    package var failed = 0
    package var finishedAt: Timestamp?
    /// The name of the caller who stopped it.
    package var stoppedBy: String?

    package init(
        id: BulkID, body: [UInt8], perSecond: Int?, createdAt: Timestamp, createdBy: String, total: Int
    ) {
        self.id = id
        self.body = body
        self.perSecond = perSecond
        self.createdAt = createdAt
        self.createdBy = createdBy
        self.total = total
        finishWhenOver(at: createdAt)
    }

    /// The number of ids that are settled, which is the place of the next one.
    package var settled: Int { done + skipped + failed }

    /// Counts results that follow the settled ones.
    package mutating func count(_ results: [BulkResult], at now: Timestamp) {
        for result in results {
            switch result.outcome {
            case .done: done += 1
            case .skipped: skipped += 1
            case .failed: failed += 1
            }
        }
        finishWhenOver(at: now)
    }

    /// Stops it; false when it is over.
    package mutating func stop(by: String, at now: Timestamp) -> Bool {
        guard state == .running else { return false }
        (state, finishedAt, stoppedBy) = (.cancelled, now, by)
        return true
    }

    private mutating func finishWhenOver(at now: Timestamp) {
        if settled >= total { (state, finishedAt) = (.completed, now) }
    }
}
