import JobKit
import JobSpec
import JobStore

/// The lines of queues with a configuration: the gate that decides about them, and the rows that it follows. Used by
/// the writer thread only, always inside a transaction.
final class QueueLines {
    /// Decides which jobs may begin.
    var gate = QueueGate() {
        didSet {
            isIdle = gate.isIdle
            hasChangedRates = gate.hasChangedRates
        }
    }
    /// Copies of what the gate says: asking it for each job would copy all of it.
    private(set) var isIdle = true
    private var hasChangedRates = false
    /// The number of jobs that wait in lines.
    var waiting: Int { isIdle ? 0 : gate.waiting }
    private let table: QueueTable
    private let jobs: JobTable
    private let settings: SettingTable
    /// Whether the gate may differ from the rows.
    private var isStale = true
    private var tidyAt = Timestamp(milliseconds: 0)

    init(
        _ connection: SQLiteConnection, _ jobs: JobTable, _ settings: SettingTable
    ) throws(SQLiteFailure) {
        table = try QueueTable(connection)
        self.jobs = jobs
        self.settings = settings
    }

    // MARK: Transactions

    /// Begins a transaction: restores the gate if the last one failed.
    func begin() throws(SQLiteFailure) {
        if !isStale { return }
        gate = try stored(at: SystemClock().now)
        isStale = false
    }

    /// Stores the states of rates that changed in a transaction.
    func commit() throws(SQLiteFailure) {
        if !hasChangedRates { return }
        for (name, state) in gate.takeChangedRates() { try table.put(state, of: name) }
    }

    func rollback() { isStale = true }

    private func stored(at now: Timestamp) throws(SQLiteFailure) -> QueueGate {
        var gate = QueueGate()
        let specs = try settings.all(.queue)
        let lines = try table.all()
        if specs.isEmpty && lines.isEmpty { return gate }
        let running = try running()
        for record in specs {
            gate.configure(record.name, QueueSpec(record), running: running)
        }
        for (line, count, head) in lines { gate.restore(line, count: count, head: head) }
        for (name, state) in try table.rates(after: now) {
            gate.restore(state, of: name.queue, key: name.key)
        }
        return gate
    }

    private func running() throws(SQLiteFailure) -> [(number: Int64, line: QueueGate.Line)] {
        try jobs.held().map { ($0.number, $0.line) }
    }

    /// Once an hour, deletes the states of rates that no longer hold anything back.
    func tidy(at now: Timestamp) throws(SQLiteFailure) {
        guard now >= tidyAt else { return }
        try table.removeOldRates(at: now)
        tidyAt = now.advanced(by: .seconds(3_600))
    }

    // MARK: Configurations

    /// Follows a new configuration, or the removal of one.
    func configure(_ queue: String, _ spec: QueueSpec?) throws(SQLiteFailure) {
        let running = spec == nil || gate.knows(queue) ? [] : try running()
        gate.configure(queue, spec, running: running)
    }

    // MARK: Jobs

    /// Whether a job belongs in a line.
    func hold(_ job: StoredJob) -> Bool {
        !isIdle && job.isForLine && gate.governs(job.record.queue)
    }

    /// Follows a job whose row is stored, but for the line, in which it was or not.
    func follow(_ job: StoredJob, wasInLine: Bool) throws(SQLiteFailure) {
        if job.isInLine == wasInLine { return }
        try table.put(job)
        if job.isInLine { enter(job) } else { try leave(job) }
    }

    func enter(_ job: StoredJob) {
        if let place = job.place { gate.enter(job.line, place) }
    }

    func leave(_ job: StoredJob) throws(SQLiteFailure) {
        gate.leave(job.line, next: gate.hasOne(job.line) ? nil : try table.head(of: job.line))
    }

    /// Follows a job into its run and out of it.
    func note(_ job: StoredJob) {
        if isIdle { return }
        if job.owner != nil { gate.begin(job.number, job.line) } else { gate.end(job.number) }
    }

    /// Whether a new job may begin at once: its queue lets it, and none of its tenant that waits in a line could begin.
    func admit(_ line: QueueGate.Line, of tenant: Tenant?, now: Timestamp) -> Bool {
        isIdle
            || gate.next(now: now, passing: { $0 != tenant }) == nil && gate.admits(line, now: now)
    }

    /// Counts a new job that begins at once.
    func noteArrival(_ job: StoredJob) {
        if let now = job.record.startedAt { gate.takeRate(job.line, now: now, ready: now) }
    }

    /// The error of a queue that has not room for all of these jobs; nil when each has.
    func refusal(of jobs: [NewJob]) -> JobStoreError? {
        if isIdle { return nil }
        var counts: [String: Int] = [:]
        for job in jobs where job.record.state == .queued {
            let count = counts[job.record.queue, default: 0] + 1
            counts[job.record.queue] = count
            if let spec = gate.spec(ofFull: job.record.queue, adding: count) {
                return .lineFull(job.record.queue, spec)
            }
        }
        return nil
    }

    /// The error of a queue that has no room for this job; nil when it has.
    func refusal(of job: NewJob) -> JobStoreError? {
        guard !isIdle, job.record.state == .queued else { return nil }
        return gate.spec(ofFull: job.record.queue).map { .lineFull(job.record.queue, $0) }
    }

    /// The standing of a job in its line; nil when it is in none.
    func standing(of job: StoredJob?, now: Timestamp) throws(SQLiteFailure) -> QueuedJob? {
        guard let job, job.isInLine, let place = job.place else { return nil }
        return try gate.standing(of: job.line, place, now: now) { line throws(SQLiteFailure) in
            try table.count(of: line, before: place)
        }
    }
}
