package import JobKit

/// What is known about jobs, durably. Every engine keeps the same promises; the conformance suite asks for each.
///
/// Written for several servers on one store: a run holds a *claim* with a *lease* (it ends by itself) and a *fence*
/// (a number that rises with every claim). Times of leases are by the store's clock. The SQLite engine has one server.
///
/// Writes: the reply comes once, after the change is durable (or refused). It comes on a thread of the store or, when
/// the engine has none or is closed, on the caller's before the call returns; it must not block. Writes that were
/// started one after the other by one caller are applied in that order. Writes of many callers are committed in
/// groups. A failed write has changed nothing.
///
/// Reads see every write whose reply has come.
package protocol JobStore: Sendable {
    /// Stores a new job, or finds the one that the idempotency key already made.
    ///
    /// Decided atomically: of two submissions with one key, one creates and the other finds. The key is forgotten
    /// when its time is over.
    /// - Throws (in the reply): `.queueFull` when `StoreLimits.unfinishedJobsMax` jobs are unfinished,
    ///   `.duplicateID` when a job has this id, `.diskFull`, `.unavailable`.
    func submit(_ job: NewJob, reply: @escaping @Sendable (Result<SubmitOutcome, JobStoreError>) -> Void)

    /// Stores several new jobs in one step, each as `submit` does; the reply tells of each. When the first job's key is
    /// known and belongs to another request, nothing is stored.
    /// - Parameters:
    ///   - isAtomic: whether all of them are stored or none.
    ///   - isFollowed: whether their submitter comes with further jobs at once and waits for all of them, so that it
    ///     is worth while to make them durable together.
    /// - Throws (in the reply): `.diskFull`, `.unavailable`; when atomic also `.queueFull` and `.duplicateID`.
    func submit(
        _ jobs: [NewJob], isAtomic: Bool, isFollowed: Bool,
        reply: @escaping @Sendable (Result<BatchOutcome, JobStoreError>) -> Void)

    /// Stores the jobs that tell of the ends of others, and notes that these have been told of, in one step.
    ///
    /// This is done once for each end: of one that was told of, or whose job was tried again or erased meanwhile,
    /// nothing is stored. `StoreLimits.unfinishedJobsMax` does not count here, since these jobs were accepted with the
    /// others. The reply is how many were stored.
    func submit(callbacks: [JobCallbacks], reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void)

    /// Takes runnable jobs: those `queued`, and those `scheduled`, `waiting` or `retrying` whose `dueAt` is past;
    /// highest priority first, then the one that became runnable first. They become `running` (their `startedAt` is
    /// set when it was nil), the fence rises, the lease begins. Jobs past `expiresAt` that were never started are not
    /// taken. Empty when nothing is runnable.
    ///
    /// Behind them come those that the request wants ahead of their date, in the same order. Their `startedAt` is not
    /// before their `runAt`. Those that may expire before their date are not among them.
    func claim(
        _ request: ClaimRequest, reply: @escaping @Sendable (Result<[Claim], JobStoreError>) -> Void)

    /// Applies what a run has to say: journal entries, and perhaps a new state with all that belongs to it, in one
    /// step. The reply is the new revision (unchanged when only the journal grew).
    ///
    /// What the entries say about approvals is done, too: they are opened and expire with the entries that say so,
    /// and those that are open are withdrawn when their operation starts or finishes, when the job is stopped, and
    /// when it is final. A job that is put down to wait for a grant that is decided or forgotten meanwhile becomes
    /// `queued`.
    ///
    /// - Throws (in the reply): `.staleClaim` when the job was claimed again, finished or erased since; the run then
    ///   has nothing to say any more.
    func update(_ update: RunUpdate, reply: @escaping @Sendable (Result<Int64, JobStoreError>) -> Void)

    /// From now on claims new jobs for a runner as they are stored; nil ends that, and what was claimed before may
    /// still be handed over.
    ///
    /// A job that may run at once is claimed, as `claim` would, in the step that stores it, as long as no other job is
    /// claimable and the runner has room. `submit` still replies with the job as it was before it was claimed; the
    /// observer is told of the claim alone.
    func takeArrivals(_ arrivals: JobArrivals?)

    /// Extends the leases of these claims to `now + lease`; the reply names those that are lost.
    func renew(
        _ claims: [ClaimKey], now: Timestamp, lease: Duration,
        reply: @escaping @Sendable (Result<[ClaimKey], JobStoreError>) -> Void)

    /// Asks for a job to be stopped. What is not in flight becomes `cancelled` at once with `detail` and `journal` of
    /// the request; what is `running` becomes `cancelling`; `cancelling` and final jobs stay as they are.
    /// - Throws (in the reply): `.notFound`.
    func cancel(
        _ request: CancelRequest, reply: @escaping @Sendable (Result<CancelOutcome, JobStoreError>) -> Void)

    /// Puts a `failed`, `cancelled` or `expired` job back to `queued` with the journal entry given, and removes its
    /// result, `detail`, `finishedAt`, `purgeAt` and `expiresAt`. The reply is the record after it.
    /// - Throws (in the reply): `.notFound`; `.wrongState(current)` for any other state.
    func retry(
        _ id: JobID, journal: JournalEntry,
        reply: @escaping @Sendable (Result<JobRecord, JobStoreError>) -> Void)

    /// Notes something from outside in the journal of a job that is not final, and does to the job what it says.
    /// The reply tells the number of the post and whether a run has to be told; when it is not, the next run finds
    /// it in the journal.
    /// - Throws (in the reply): `.notFound`; `.wrongState(current)` when the job is final, and for a hold or release
    ///   of a `cancelling` one; `.revisionConflict(current)`; `.mailboxFull` beyond `StoreLimits.postsMax`.
    func post(_ post: JobPost, reply: @escaping @Sendable (Result<PostReceipt, JobStoreError>) -> Void)

    /// Makes jobs that were put down claimable at once. A job in flight is looked at again when it is put down;
    /// others stay as they are. The reply is how many were put to `queued`.
    func wake(_ ids: [JobID], reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void)

    /// Wakes all jobs that were put down with this key among their `wakeKeys`.
    func wake(key: String, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void)

    /// Stores a person's answer to an approval and posts it to the job, in one step. The first answer counts.
    /// - Throws (in the reply): `.notFound`; `.approvalClosed(state)` when it was answered, has expired or was
    ///   withdrawn; `.digestMismatch`; `.mailboxFull`.
    func decide(
        _ decision: ApprovalDecision,
        reply: @escaping @Sendable (Result<ApprovalReceipt, JobStoreError>) -> Void)

    /// Stores a grant as it was decided, its request settled unless it stays undetermined, and wakes the jobs that
    /// wait for it.
    /// - Throws (in the reply): `.grantsFull` beyond `StoreLimits.grantsMax`.
    func put(
        _ grant: GrantRecord, at now: Timestamp,
        reply: @escaping @Sendable (Result<GrantReceipt, JobStoreError>) -> Void)

    /// Asks for a grant unless that was done or it is decided: there is one request for each grant. The reply is the
    /// grant as it stands then.
    /// - Throws (in the reply): `.grantsFull`.
    func request(
        _ name: String, _ request: GrantRequest,
        reply: @escaping @Sendable (Result<GrantRecord, JobStoreError>) -> Void)

    /// Removes a grant and its request. Jobs that wait for it are woken and ask again.
    /// - Throws (in the reply): `.notFound`.
    func removeGrant(
        _ name: String, at now: Timestamp, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void)

    /// Stores a template as the next version of its name, unless the newest one has the same body.
    /// - Throws (in the reply): `.templatesFull`.
    func put(
        _ template: TemplateRecord,
        reply: @escaping @Sendable (Result<TemplateReceipt, JobStoreError>) -> Void)

    /// Removes all versions of a template.
    /// - Throws (in the reply): `.noTemplate`.
    func removeTemplate(_ name: String, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)

    /// Stores a secret or a connection under its name, in the place of the one there is. The reply is the record.
    ///
    /// Replies come in the order of the commits.
    /// - Throws (in the reply): `.settingsFull`.
    func put(_ draft: SettingDraft, reply: @escaping @Sendable (Result<SettingRecord, JobStoreError>) -> Void)

    /// Removes a secret or a connection.
    /// - Throws (in the reply): `.noSetting`.
    func removeSetting(
        _ kind: SettingKind, _ name: String,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)

    /// Keeps how the last good answer to a request was marked, in the place of what was known of that request. Beyond
    /// `StoreLimits.validatorsMax` those that were kept first go.
    func remember(
        _ validator: AnswerValidator, for key: String,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)

    /// Erases a final job and everything about it but its idempotency key, which holds until its own time is over.
    /// - Throws (in the reply): `.notFound`; `.wrongState(current)` when it is not final.
    func erase(_ id: JobID, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)

    /// Does up to `limit` (1…10,000) pieces of upkeep: erases final jobs whose `purgeAt` is past and of whose end
    /// nobody is to be told any more, and idempotency keys whose time is over, and ends jobs past `expiresAt` that were
    /// never started, with the detail and journal entry that `expire` makes: as `failed` when that is their
    /// `NewJob.deadline`, otherwise as `expired`, which `expire` is told. The reply says how many pieces were done;
    /// fewer than `limit` means all.
    func sweep(
        now: Timestamp, limit: Int, expire: @escaping @Sendable (JobRecord, JobState) -> ExpiredJob,
        reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void)

    /// Puts back to `queued` every `running` job whose lease is over or whose owner is `formerOwner`, and ends no job.
    /// `cancelling` ones are put back, too, and stay `cancelling`: the claim hands them out so that the engine can end
    /// them. With one server, `formerOwner` nil means: all of them, there is nobody else. Wakes jobs that wait for
    /// an exclusive key, too. The reply is how many were put back.
    func recover(
        formerOwner: String?, now: Timestamp, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void)

    /// When the next job in `scheduled`, `waiting` or `retrying` falls due; nil when there is none.
    func nextDueAt(reply: @escaping @Sendable (Result<Timestamp?, JobStoreError>) -> Void)

    /// How many jobs there are in each state; states with none may be missing. Cheap: kept, not counted.
    func counts() -> [JobState: Int]

    /// A reader for one thread's point reads. Each loop has its own; using one from several threads is safe, not fast.
    /// - Throws: `.unavailable`.
    func makeReader() throws(JobStoreError) -> any JobReader

    /// Calls `observer` after each commit, on a thread of the store, with the jobs that the commit changed in state
    /// or revision, in order. It must return quickly; it may start further writes. There is one observer; the last
    /// one set counts.
    func observeCommits(_ observer: @escaping @Sendable ([JobChange]) -> Void)

    /// Where content is kept that is too large for the store; nil when there is no such place.
    ///
    /// A job that has content there as the result of an operation says so in the update that brings the result; the
    /// content stays as long as some job has it.
    var artifacts: (any ArtifactPlace)? { get }

    /// Finishes the writes that were started, releases the lock and closes everything. Later writes and reads are
    /// refused with `.unavailable`.
    func close() async

    /// Whether writes are taken at this moment. Cheap enough to be asked for every request.
    var condition: StoreCondition { get }

    /// Calls `observer` whenever the condition changes, on a thread of the store. There is one observer; the last one
    /// set counts.
    func observeCondition(_ observer: @escaping @Sendable (StoreCondition) -> Void)

    /// How much waits to be stored at this moment. Cheap enough to be asked for every request.
    var pressure: StorePressure { get }

    /// Whether the store was not closed before it was opened: its last process was killed, or the machine stopped.
    var wasLeftOpen: Bool { get }

    /// Looks at all that is stored, without haste, and notes in `condition` when something is wrong. The reply comes on
    /// a thread of the store.
    /// - Parameter readsFiles: whether files with content are read and compared with their SHA-256; else only their
    ///   length is looked at.
    /// - Throws (in the reply): `.unavailable` when it cannot be read.
    func checkIntegrity(
        readsFiles: Bool, reply: @escaping @Sendable (Result<IntegrityReport, JobStoreError>) -> Void)

    /// Copies everything, as it is at one moment, into a new data directory at `target`, while the store is in use.
    /// What was acknowledged before the call is in it. The reply comes on a thread of the store.
    /// - Throws (in the reply): `.unavailable` when `target` exists or cannot be written, `.diskFull`.
    func backUp(
        to target: String, reply: @escaping @Sendable (Result<BackupSummary, JobStoreError>) -> Void)

    /// Whether a write can be made durable at this moment, tried by making one.
    func checkHealth(reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void)
}

extension JobStore {
    /// Claims nothing: a runner finds new jobs like all others.
    package func takeArrivals(_ arrivals: JobArrivals?) {}
}

/// Point reads and pages of one store. Every method sees all writes whose reply has come.
package protocol JobReader: Sendable {
    /// The job, or nil.
    func job(_ id: JobID) throws(JobStoreError) -> JobRecord?

    /// The spec's bytes as they were submitted, or nil when the job does not exist.
    func spec(_ id: JobID) throws(JobStoreError) -> [UInt8]?

    /// How many jobs a claim would take before this one, counted up to 10,000; nil when it is not claimable at once.
    func ahead(of id: JobID) throws(JobStoreError) -> Int?

    /// Who stands before this job in the line for its unique key; nil when nobody does, or it has none.
    func uniqueLine(before id: JobID) throws(JobStoreError) -> UniqueLine?

    /// The root operation's result, or nil.
    func result(_ id: JobID) throws(JobStoreError) -> OperationResult?

    /// Up to `limit` (1…10,000) journal entries with a sequence number above `after` (0 for all), in order.
    func journal(_ id: JobID, after: Int64, limit: Int) throws(JobStoreError) -> [NumberedEntry]

    /// The journal entries with these sequence numbers, which are in order; those that are not there are left out.
    func journal(_ id: JobID, at sequences: [Int64]) throws(JobStoreError) -> [NumberedEntry]

    /// An index of the job's journal: `known`, with what was added since.
    func index(_ id: JobID, from known: JournalIndex) throws(JobStoreError) -> JournalIndex

    /// What of a job is kept in files, in the order in which it came.
    func artifacts(_ id: JobID) throws(JobStoreError) -> [ArtifactUse]

    /// All exclusive keys in the hands of operations.
    func holds() throws(JobStoreError) -> [ExclusiveHold]

    /// The approval, or nil.
    func approval(_ id: ApprovalID) throws(JobStoreError) -> ApprovalRecord?

    /// One page of approvals.
    func approvals(_ query: ApprovalQuery) throws(JobStoreError) -> ApprovalPage

    /// How the last good answer to a request was marked; nil when that is unknown, or the job with the answer is not
    /// there any more.
    func validator(_ key: String) throws(JobStoreError) -> AnswerValidator?

    /// The grant, or nil when nobody decided about it or asked for it.
    func grant(_ name: String) throws(JobStoreError) -> GrantRecord?

    /// Up to `limit` (1…10,000) grants behind the name `after` (empty for all), by name.
    func grants(after: String, limit: Int) throws(JobStoreError) -> [GrantRecord]

    /// Up to `limit` (1…10,000) ends of jobs, of those in `NewJob.callbackEnds`, that nobody was told of with
    /// `JobStore.submit(callbacks:)`, in the order of the jobs' acceptance.
    func endsToTell(limit: Int) throws(JobStoreError) -> [JobEnd]

    /// Up to `limit` (1…10,000) jobs that were put down and are woken under `key`, oldest first.
    func waiting(for key: String, limit: Int) throws(JobStoreError) -> [JobID]

    /// A version of a template, the newest when none is named; nil when there is none.
    func template(_ name: String, version: Int64?) throws(JobStoreError) -> TemplateRecord?

    /// The newest version of each template, by name.
    func templates() throws(JobStoreError) -> [TemplateRecord]

    /// All settings of a kind, by name.
    func settings(_ kind: SettingKind) throws(JobStoreError) -> [SettingRecord]

    /// One page of jobs.
    func list(_ query: JobListQuery) throws(JobStoreError) -> JobPage
}
