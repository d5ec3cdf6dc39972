import JobKit
import JobStore

/// The queries that find work. Each names the partial index that it depends on, so that it fails at the start instead
/// of becoming slow when the index does not fit.
enum DispatchQueries {
    private static let notLapsed = "(expires_at IS NULL OR started_at IS NOT NULL OR expires_at > ?1)"

    /// Jobs of one tenant that are claimable at once, in the order of claims; ?1 is now, ?2 the limit, ?3 the prefix.
    static let ready = """
        SELECT \(StoredJob.columns) FROM job INDEXED BY job_ready WHERE ready_at IS NOT NULL AND tenant = ?3 \
        AND \(notLapsed) ORDER BY priority DESC, ready_at, number LIMIT ?2
        """

    /// The first tenant behind ?1 of which a job is claimable.
    static let nextTenant = """
        SELECT tenant FROM job INDEXED BY job_ready WHERE ready_at IS NOT NULL AND tenant > ?1 \
        ORDER BY tenant LIMIT 1
        """

    /// Whether a job of tenant ?1 is claimable.
    static let hasReady = """
        SELECT 1 FROM job INDEXED BY job_ready WHERE ready_at IS NOT NULL AND tenant = ?1 LIMIT 1
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

    private static let inLine = """
        FROM job INDEXED BY job_line WHERE lined_at IS NOT NULL AND queue = ?1 AND priority = ?2 AND queue_key IS ?3
        """

    /// The first place in the line of queue ?1, priority ?2 and key ?3.
    static let lineHead = "SELECT lined_at, number \(inLine) ORDER BY lined_at, number LIMIT 1"

    /// The number of places in such a line before ?4, ?5, counted up to 10,000.
    static let lineBefore = """
        SELECT count(*) FROM (SELECT 1 \(inLine) AND (lined_at, number) < (?4, ?5) LIMIT 10000)
        """

    /// All lines, with the number of their places and the first.
    static let lines = """
        SELECT queue, priority, queue_key, count(*), min(lined_at), number FROM job INDEXED BY job_line \
        WHERE lined_at IS NOT NULL GROUP BY queue, priority, queue_key
        """

    /// Jobs in flight, of any owner: only jobs in these states have one.
    static let held = inFlight(StoredJob.columns)

    /// The owners of jobs in flight, with the number of theirs.
    static let heldCounts = inFlight("job.owner, count(*)") + " GROUP BY job.owner"

    /// The queues of jobs in flight, with the number of theirs.
    static let heldQueues = inFlight("job.queue, count(*)") + " GROUP BY job.queue"

    /// The queues of 10,000 jobs that are claimable at once and in no line, by tenants and in the order of claims, with
    /// the number of theirs and the time of the first.
    static let readyQueues = """
        SELECT queue, count(*), min(ready_at) FROM (SELECT queue, ready_at FROM job INDEXED BY job_ready \
        WHERE ready_at IS NOT NULL ORDER BY tenant, priority DESC, ready_at LIMIT 10000) GROUP BY queue
        """

    /// The queues that jobs have except `default`, found by leaps along their index; the last is NULL.
    static let queueNames = """
        WITH RECURSIVE leap (queue) AS (SELECT min(queue) FROM job INDEXED BY job_queue WHERE queue <> 'default' \
        UNION ALL SELECT (SELECT min(queue) FROM job INDEXED BY job_queue WHERE queue > leap.queue \
        AND queue <> 'default') FROM leap WHERE leap.queue IS NOT NULL) SELECT queue FROM leap LIMIT 10000
        """

    /// The types that jobs have as the rows of `leap`, found by leaps along their index; the last is NULL.
    static let leap = """
        WITH RECURSIVE leap (type) AS (SELECT min(type) FROM job UNION ALL \
        SELECT (SELECT min(type) FROM job WHERE type > leap.type) FROM leap WHERE leap.type IS NOT NULL)
        """

    private static func inFlight(_ columns: String) -> String {
        """
        \(leap) SELECT \(columns) FROM leap CROSS JOIN job INDEXED BY job_type ON job.type = leap.type \
        AND job.state IN (\(JobState.running.stored), \(JobState.cancelling.stored)) WHERE job.owner IS NOT NULL
        """
    }

    /// Jobs suspected of crashing the process, oldest first.
    static let suspects = """
        SELECT \(StoredJob.columns) FROM suspect CROSS JOIN job ON job.number = suspect.number \
        WHERE \(isSuspect) ORDER BY suspect.number LIMIT 10000
        """

    /// Removes the rows of jobs that are suspects no more.
    static let removeFormerSuspects = """
        DELETE FROM suspect WHERE NOT EXISTS \
        (SELECT 1 FROM job WHERE job.number = suspect.number AND \(isSuspect))
        """

    /// `StoredJob.isSuspect`: has `Flags.suspect` without `Flags.alone`, and waits.
    private static let isSuspect =
        "job.ties & 393216 = 131072 AND job.state = \(JobState.queued.stored) "
        + "AND job.ready_at IS NULL AND job.lined_at IS NULL"

    /// Jobs whose retention ended before ?1 and whose callbacks are stored; ?2 is the limit.
    static let purgeable = """
        SELECT job.id FROM job INDEXED BY job_purge WHERE purge_at IS NOT NULL AND purge_at <= ?1 \
        AND NOT EXISTS (SELECT 1 FROM callback WHERE callback.number = job.number) ORDER BY purge_at LIMIT ?2
        """

    /// Ends whose callbacks are not stored; ?1 is the limit.
    static let untold = """
        SELECT job.id, callback.revision FROM callback CROSS JOIN job ON job.number = callback.number \
        ORDER BY callback.number LIMIT ?1
        """

    /// Jobs that did not start in time at ?1; ?2 is the limit.
    static let lapsed = """
        SELECT job.id FROM job INDEXED BY job_expiry WHERE expires_at IS NOT NULL \
        AND started_at IS NULL AND state < 10 AND expires_at <= ?1 ORDER BY expires_at LIMIT ?2
        """
}
