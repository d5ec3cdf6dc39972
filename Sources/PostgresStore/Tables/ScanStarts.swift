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

/// The first value of each order, as far as there is one.
struct ScanFirsts: Sendable {
    private var times = [Timestamp?](repeating: nil, count: ScanOrder.allCases.count)

    subscript(order: ScanOrder) -> Timestamp? {
        get { times[order.rawValue] }
        set { times[order.rawValue] = newValue }
    }

    /// Adds values of which the earlier ones count.
    mutating func merge(_ other: ScanFirsts) {
        for order in ScanOrder.allCases {
            if let time = other[order] { self[order] = min(self[order] ?? time, time) }
        }
    }
}

/// The orders of the indexes that find work.
enum ScanOrder: Int, CaseIterable {
    /// The time since which jobs without a tenant are runnable.
    case ready
    /// The date at which suspended jobs fall due.
    case due
    /// The date at which jobs expire that have not started.
    case expiry
    /// The end of the retention of ended jobs.
    case purge
    /// The end of idempotency keys.
    case keyExpiry
    /// The time since which jobs of tenants are runnable.
    case turn
}
