package import JobJournal
package import JobKit
package import JobSpec

// DESIGN
// Engines differ in how they find and write rows, not in what a request does to a job. What is rare is written here
// once, for any transaction that can load and save jobs, the one in memory included: so the simulation runs it, too.
// Updates of runs are frequent, so they can be inlined, and each engine has them specialised. Claims are the engines'
// own, which differ in how they look for jobs.

/// An open transaction of an engine: a job that it returns does not change elsewhere until the end.
package protocol StoreTransaction {
    associatedtype Failure: Error
    associatedtype Templates: TemplateRows where Templates.Failure == Failure
    associatedtype Settings: SettingRows where Settings.Failure == Failure
    associatedtype Schedules: ScheduleRows where Schedules.Failure == Failure
    associatedtype Grants: GrantRows where Grants.Failure == Failure
    associatedtype Bulks: BulkRows where Bulks.Failure == Failure
    associatedtype Uploads: UploadRows where Uploads.Failure == Failure
    associatedtype Deliveries: DeliveryRows where Deliveries.Failure == Failure
    associatedtype Standings: StandingRows where Standings.Failure == Failure
    associatedtype Approvals: ApprovalRows where Approvals.Failure == Failure
    associatedtype Audits: AuditRows where Audits.Failure == Failure
    associatedtype Closings: ClosingRows where Closings.Failure == Failure
    associatedtype Uniques: UniqueRows where Uniques.Failure == Failure
    associatedtype Wakes: WakeRows where Wakes.Failure == Failure
    associatedtype Stats: StatsRows where Stats.Failure == Failure

    var limits: StoreLimits { get }

    var templates: Templates { get }
    var settings: Settings { get }
    var schedules: Schedules { get }
    var grants: Grants { get }
    var bulks: Bulks { get }
    var uploads: Uploads { get }
    var deliveries: Deliveries { get }
    var standings: Standings { get }
    var approvals: Approvals { get }
    var audits: Audits { get }
    var closings: Closings { get }
    var uniques: Uniques { get }
    var wakes: Wakes { get }
    var stats: Stats { get }

    /// Notes that something is removed or replaced that people stored, so that it leaves the files soon.
    func noteErasure()

    /// Notes that a setting changed, for all that keep values of settings.
    func noteSettings() throws(Failure)

    /// Applies the configuration of a queue, or the removal of one, after its setting.
    func configure(_ queue: String, _ spec: QueueSpec?) throws(Failure)

    // MARK: Schedules

    /// Stores a schedule, and returns its number.
    /// - Parameter number: of the stored schedule that it replaces.
    func put(_ schedule: ScheduleRecord, number: Int64?) throws(Failure) -> Int64

    // MARK: New jobs

    /// Why no new jobs are taken; nil when they are.
    var shortage: JobStoreError? { get }

    /// The outcome of a request whose key was used before; nil when its key is free, or it has none.
    func outcome(known new: NewJob) throws(Failure) -> SubmitOutcome?

    /// Whether a job of the write's needs has this id.
    func has(_ id: JobID) throws(Failure) -> Bool

    /// The reason why the lines of queues have no room for all of these jobs; nil when they have.
    func lineRefusal(of jobs: [NewJob]) throws(Failure) -> JobStoreError?

    /// The same for one job, which is frequent.
    func lineRefusal(of job: NewJob) throws(Failure) -> JobStoreError?

    /// The number of jobs that are not finished.
    var unfinished: Int { get }

    /// Has the key of a request name the job that it joined.
    func keep(_ claim: IdempotencyClaim, for holder: JobID) throws(Failure)

    /// Stores a job of the write's needs; see `SubmissionStore`. A requirement, so that a batch, which knows no engine,
    /// calls what each engine has specialised.
    func submit(_ new: NewJob) throws(Failure) -> Result<SubmitOutcome, JobStoreError>

    /// Stores a job that was not announced when the transaction began. It has no idempotency key.
    func submitAlso(_ new: NewJob) throws(Failure) -> Result<SubmitOutcome, JobStoreError>

    /// Stores a job of the write's needs that nothing refuses.
    func insert(_ new: NewJob) throws(Failure) -> Result<SubmitOutcome, JobStoreError>

    /// Removes an end whose callbacks are stored in this transaction. Returns whether it existed.
    func settle(_ end: JobEnd) throws(Failure) -> Bool

    // MARK: Jobs

    func job(_ id: JobID) throws(Failure) -> StoredJob?

    func spec(of job: StoredJob) throws(Failure) -> [UInt8]

    /// The entries that a run of the job would read.
    func journal(of job: StoredJob) throws(Failure) -> [JournalEntry]

    /// Writes a job back after a transition from `before`.
    func save(_ job: StoredJob, from before: JobRecord) throws(Failure)

    func append(_ entries: [JournalEntry], to job: StoredJob) throws(Failure)

    /// Notes entries of a job that is otherwise unchanged.
    func noteEntries(of job: StoredJob)

    /// Removes the entries with the numbers in these ascending ranges. The last entry of a journal stays.
    func removeEntries(_ numbers: [ClosedRange<Int64>], of job: StoredJob) throws(Failure)

    func removeResult(of job: StoredJob) throws(Failure)

    /// Removes the callbacks of an end that are not stored as jobs yet.
    func removeCallbacks(of job: StoredJob) throws(Failure)

    /// Erases a job with all its data.
    func remove(_ job: StoredJob) throws(Failure)

    /// Notes a request to a job in flight, for the server that runs it. The caller notifies a run of this server.
    func note(_ request: RunRequest)

    /// Prepares the next calls of `job` for these ids.
    /// - Parameter mayEnd: whether some of them may end or begin again, which concerns others with their keys.
    func willChange(_ ids: [JobID], mayEnd: Bool) throws(Failure)

    // MARK: Runs

    /// Prepares the update of a job's run.
    func willUpdate(_ job: StoredJob, _ update: RunUpdate) throws(Failure)

    /// Called after the update of a job's run.
    func didUpdate(_ job: StoredJob, _ update: RunUpdate) throws(Failure)

    /// Stores which exclusive keys a run took and gave back.
    func note(taken: [ExclusiveHold], freed: [String], of job: inout StoredJob) throws(Failure)

    /// Stores the uses of artifacts.
    func put(_ uses: [ArtifactUse], of job: StoredJob) throws(Failure)

    /// Stores the summary of the entries that the next run need not read.
    func put(_ summary: JournalSummary, of job: inout StoredJob) throws(Failure)

    func put(_ result: OperationResult, of job: StoredJob) throws(Failure)

    // MARK: Upkeep

    /// Removes up to `limit` states of rates that hold nothing back any more, before what is due is looked for.
    func beginUpkeep(at now: Timestamp, limit: Int) throws(Failure)

    /// Up to `limit` jobs whose retention has ended and whose callbacks are stored.
    func purgeable(at now: Timestamp, limit: Int) throws(Failure) -> [JobID]

    /// Erases ended jobs, in their order, until the budget is spent. Takes the size of each with all its data from the
    /// budget, and reads none of those that are left.
    func purge(_ ids: [JobID], within budget: inout JobBudget) throws(Failure)

    /// Removes up to `limit` idempotency keys whose time is over, and returns their number.
    func removeKeys(at now: Timestamp, limit: Int) throws(Failure) -> Int

    /// Up to `limit` jobs that did not start in time.
    func lapsed(at now: Timestamp, limit: Int) throws(Failure) -> [JobID]

    // MARK: Approvals and dates

    /// An approval with its job.
    func approval(_ id: ApprovalID) throws(Failure) -> (ApprovalRecord, StoredJob)?

    /// The due date of the next job that waits for it, or of a line that opens; nil when there is none.
    func nextDueAt() throws(Failure) -> Timestamp?

    // MARK: Answers

    /// Stores the validator of an answer to a request, replacing an earlier one, and removes the oldest beyond their
    /// limit.
    func remember(_ validator: AnswerValidator, for key: String) throws(Failure)

    // MARK: Changes by people

    /// The number of changes of jobs in the transaction.
    var changeCount: Int { get }

    func add(_ record: AuditRecord) throws(Failure)

    // MARK: Bulk actions

    func insert(_ bulk: BulkRecord, of ids: [JobID]) throws(Failure)
}

extension StoreTransaction {
    /// Nothing: for engines without a log of their own.
    package func noteErasure() {}

    /// Nothing: for engines that look up rows one by one.
    @inlinable
    package func willUpdate(_ job: StoredJob, _ update: RunUpdate) {}

    @inlinable
    package func lineRefusal(of job: NewJob) throws(Failure) -> JobStoreError? { try lineRefusal(of: [job]) }

    /// None: for engines that do not watch a disk.
    package var shortage: JobStoreError? { nil }
}
