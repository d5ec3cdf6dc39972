import JobKit
import JobStore

// DESIGN
// A job that is claimed, ends or is erased leaves dead entries at the beginning of the indexes that find the next job
// of that kind. PostgreSQL skips and removes them, but not while a snapshot from before is open, such as that of a
// backup: then each scan would walk all that were left since. So scans begin at the first live value, which the writer
// looks up often, from the last one on. An earlier value is noted when this server stores it, told by the news of other
// servers, or found by `FirstsScanner`, which looks from the beginning now and then, beside the writer.

/// The values from which on indexes are scanned for work.
struct ScanStarts {
    private var starts = ScanOrder.allCases.map { _ in Timestamp(milliseconds: .min) }
    private var nextLook = ContinuousClock.now
    private static let lookEvery = Duration.milliseconds(100)

    /// Scans begin there.
    subscript(order: ScanOrder) -> Timestamp { starts[order.rawValue] }

    /// Looks up the first values if it is time to. Before the transaction has unwritten changes.
    /// - Parameter firsts: finds the first value of each order since the start.
    mutating func look(
        _ firsts: (ScanStarts) throws(PostgresFailure) -> ScanFirsts
    ) throws(PostgresFailure) {
        if ContinuousClock.now < nextLook { return }
        let now = SystemClock().now
        let found = try firsts(self)
        starts = ScanOrder.allCases.map { min(found[$0] ?? now, now) }
        nextLook = .now + Self.lookEvery
    }

    /// Follows a job that was changed.
    mutating func note(_ job: StoredJob) {
        if !job.isInLine, let time = job.readyAt {
            note(time, Tenant.isOwner(of: job.record.queue) ? .turn : .ready)
        }
        note(job.record.dueAt, .due)
        if job.record.startedAt == nil { note(job.record.expiresAt, .expiry) }
        note(job.record.purgeAt, .purge)
    }

    /// Follows values that may be earlier.
    mutating func note(_ firsts: ScanFirsts) {
        for order in ScanOrder.allCases { note(firsts[order], order) }
    }

    private mutating func note(_ time: Timestamp?, _ order: ScanOrder) {
        if let time, time < self[order] { starts[order.rawValue] = time }
    }
}
