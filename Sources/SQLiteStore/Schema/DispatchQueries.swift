import JobKit
import JobStore

/// The queries that find work. Each names the partial index that it depends on, so that it fails at the start instead
/// of becoming slow when the index does not fit.
enum DispatchQueries {
    private static let notLapsed = "(expires_at IS NULL OR started_at IS NOT NULL OR expires_at > ?1)"

    /// Jobs claimable at once, in the order of claims; ?1 is now, ?2 the limit.
    static let ready = """
        SELECT \(StoredJob.columns) FROM job INDEXED BY job_ready WHERE ready_at IS NOT NULL AND \(notLapsed) \
        ORDER BY priority DESC, ready_at, number LIMIT ?2
        """

    /// Jobs of one priority that fall due after ?4 and until ?1, the first due first; ?2 is the limit, ?3 the priority.
    static let due = """
        SELECT \(StoredJob.columns) FROM job INDEXED BY job_due WHERE due_at IS NOT NULL AND priority = ?3 \
        AND due_at > ?4 AND due_at <= ?1 AND \(notLapsed) ORDER BY due_at, number LIMIT ?2
        """

    /// The due date of the first job of priority ?1.
    static let firstDue = """
        SELECT due_at FROM job INDEXED BY job_due WHERE due_at IS NOT NULL AND priority = ?1 ORDER BY due_at LIMIT 1
        """

    /// Jobs in flight for the owner ?1.
    static let held = """
        SELECT \(StoredJob.columns) FROM job INDEXED BY job_held WHERE owner = ?1
        """

    /// The first owner of jobs in flight after ?1.
    static let nextOwner = "SELECT owner FROM job INDEXED BY job_held WHERE owner > ?1 ORDER BY owner LIMIT 1"

    /// Jobs suspected of crashing the process, oldest first: `Flags.suspect` without `Flags.alone`.
    static let suspects = """
        SELECT \(StoredJob.columns) FROM job INDEXED BY job_suspect WHERE ties & 393216 = 131072 \
        AND state = \(JobState.queued.stored) AND ready_at IS NULL ORDER BY number LIMIT 10000
        """

    /// Jobs whose retention ended before ?1 and whose callbacks are stored; ?2 is the limit.
    static let purgeable = """
        SELECT \(StoredJob.columns) FROM job INDEXED BY job_purge WHERE purge_at IS NOT NULL AND purge_at <= ?1 \
        AND NOT EXISTS (SELECT 1 FROM callback WHERE callback.number = job.number) ORDER BY purge_at LIMIT ?2
        """

    /// Ends whose callbacks are not stored; ?1 is the limit.
    static let untold = """
        SELECT job.id, callback.revision FROM callback CROSS JOIN job ON job.number = callback.number \
        ORDER BY callback.number LIMIT ?1
        """

    /// Jobs that did not start in time at ?1; ?2 is the limit.
    static let lapsed = """
        SELECT \(StoredJob.columns) FROM job INDEXED BY job_expiry WHERE expires_at IS NOT NULL \
        AND started_at IS NULL AND state < 10 AND expires_at <= ?1 ORDER BY expires_at LIMIT ?2
        """
}
