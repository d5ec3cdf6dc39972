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
