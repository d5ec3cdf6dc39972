import JobKit
import JobStore

/// The store's calls, awaited.
extension JobStore {
    @discardableResult
    func submit(_ job: NewJob) async throws -> SubmitOutcome {
        try await answer { self.submit(job, reply: $0) }
    }

    func submit(_ jobs: [NewJob], isAtomic: Bool = false) async throws -> BatchOutcome {
        try await answer { self.submit(jobs, isAtomic: isAtomic, isFollowed: false, reply: $0) }
    }

    /// Stores the callback jobs of ends and returns the number of ends.
    @discardableResult
    func tell(_ callbacks: [JobCallbacks]) async throws -> Int {
        try await perform(CallbackSubmission(callbacks))
    }

    /// Submits a job that must be new.
    @discardableResult
    func add(_ job: NewJob) async throws -> JobRecord {
        guard case .created(let record) = try await submit(job) else { throw Unexpected("not created") }
        return record
    }

    func claim(
        limit: Int = 10, owner: OwnerID = "server", now: Timestamp = .noon, lease: Duration = .seconds(60)
    ) async throws -> [Claim] {
        try await claim(ClaimRequest(limit: limit, owner: owner, now: now), lease: lease)
    }

    /// Claims under a lease.
    func claim(_ request: ClaimRequest, lease: Duration = .seconds(60)) async throws -> [Claim] {
        try await renew(request.owner, now: request.now, lease: lease)
        return try await answer { self.claim(request, reply: $0) }
    }

    /// Claims under the existing lease.
    func claimOnly(as owner: OwnerID) async throws -> [Claim] {
        try await answer { self.claim(ClaimRequest(limit: 1, owner: owner, now: .noon), reply: $0) }
    }

    /// Claims a job that must exist.
    func claimOne(now: Timestamp = .noon) async throws -> Claim {
        guard let claim = try await claim(limit: 1, now: now).first else {
            throw Unexpected("nothing to claim")
        }
        return claim
    }

    @discardableResult
    func update(_ update: RunUpdate) async throws -> Int64 {
        try await answer { self.update(update, reply: $0) }
    }

    /// Reports that the run of `claim` is now in `state`.
    @discardableResult
    func move(
        _ claim: Claim, to state: JobState, dueAt: Timestamp? = nil, at time: Timestamp = .noon
    ) async throws -> Int64 {
        try await update(
            RunUpdate(
                claim: claim.key, journal: [],
                standing: .init(
                    state: state, attempt: 1, dueAt: dueAt, finishedAt: state.isFinal ? time : nil)))
    }

    func renew(
        _ owner: OwnerID = "server", now: Timestamp = .noon, lease: Duration = .seconds(60)
    ) async throws {
        try await answer { (reply: @escaping StoreReply<Void>) in
            self.renew(owner, now: now, lease: lease, reply: reply)
        }
    }

    @discardableResult
    func cancel(_ id: JobID, at time: Timestamp = .noon) async throws -> CancelOutcome {
        let request = CancelRequest(
            id: id, at: time,
            journal: JournalEntry(at: time, path: [], event: .cancelRequested(by: "ada", reason: nil)),
            ending: .cancelledByAda)
        return try await perform(request)
    }

    @discardableResult
    func post(_ post: JobPost) async throws -> PostReceipt {
        try await perform(post)
    }

    /// Decides an approval as Ada.
    @discardableResult
    func decide(
        _ id: ApprovalID, _ isApproved: Bool, comment: String? = nil, digest: String? = nil,
        at time: Timestamp = .noon(2)
    ) async throws -> ApprovalReceipt {
        var decision = ApprovalDecision(id: id, isApproved: isApproved, by: "ada", at: time)
        decision.comment = comment
        decision.digest = digest
        return try await perform(decision)
    }

    @discardableResult
    func put(_ grant: GrantRecord, at time: Timestamp = .noon) async throws -> GrantReceipt {
        try await perform(GrantDecision(grant, at: time))
    }

    func request(_ name: String, _ request: GrantRequest) async throws -> GrantRecord {
        try await perform(GrantApplication(name, request))
    }

    func wakeSettled(limit: Int, at time: Timestamp = .noon) async throws -> WakeReceipt {
        try await perform(SettledWake(limit: limit, at: time))
    }

    func removeGrant(_ name: String, at time: Timestamp = .noon) async throws -> WakeReceipt {
        try await perform(GrantRemoval(name, at: time))
    }

    /// Gives a queue a configuration, a JSON object.
    @discardableResult
    func configure(_ queue: String, _ json: String, ifVersion: Int64? = nil) async throws -> Int64 {
        var draft = SettingDraft(kind: .queue, name: queue, updatedAt: .noon, updatedBy: "ada") { _ in
            Array(json.utf8)
        }
        draft.ifVersion = ifVersion
        return try await perform(draft).setting.version
    }

    /// Takes the configuration of a queue away.
    func removeQueue(_ queue: String) async throws {
        try await perform(SettingRemoval(.queue, queue))
    }

    func queues(now: Timestamp = .noon) async throws -> [QueueStanding] {
        try await answer { self.look(AllQueues(at: now), reply: $0) }
    }

    func queued(_ id: JobID, now: Timestamp = .noon) async throws -> QueuedJob? {
        try await answer { self.look(LineStanding(of: id, at: now), reply: $0) }
    }

    func busiestKeys(of queue: String, now: Timestamp = .noon) async throws -> [QueueKeyStanding] {
        try await answer { self.look(BusiestKeys(of: queue, limit: 10, at: now), reply: $0) }
    }

    func wake(_ ids: [JobID]) async throws -> Int {
        try await perform(JobWake(ids, at: SystemClock().now))
    }

    func wake(key: String) async throws -> Int {
        try await answer { self.wakeAll(key: key, at: SystemClock().now, reply: $0) }
    }

    func wake(key: String, limit: Int) async throws -> WakeReceipt {
        try await perform(KeyWake(key, limit: limit, at: SystemClock().now))
    }

    func retry(_ id: JobID, at time: Timestamp = .noon) async throws -> JobRecord {
        let entry = JournalEntry(at: time, path: [], event: .retried(by: "ada"))
        return try await perform(JobRetry(id, journal: entry))
    }

    func erase(_ id: JobID) async throws {
        try await perform(JobErasure(id))
    }

    func sweep(now: Timestamp, limit: Int = 100) async throws -> Int {
        try await perform(JobSweep.sample(now: now, limit: limit)).count
    }

    @discardableResult
    func recover(besides survivor: OwnerID? = nil, now: Timestamp = .noon) async throws -> Int {
        try await answer { self.recover(besides: survivor, now: now, reply: $0) }
    }

    /// The server dies, and its lease of a minute, begun at `now` at the latest, expires.
    @discardableResult
    func die(_ owner: OwnerID = "server", now: Timestamp = .noon) async throws -> Int {
        let count = try await recover(now: now.advanced(by: .seconds(61)))
        // It may come back under its name.
        try await end(owner)
        return count
    }

    /// The server stops in order.
    @discardableResult
    func end(_ owner: OwnerID = "server", now: Timestamp = .noon) async throws -> Int {
        try await answer { self.end(owner, now: now, reply: $0) }
    }

    func nextDueAt() async throws -> Timestamp? {
        try await perform(NextDueDate())
    }

    func checkHealth() async throws {
        try await answer { (reply: @escaping StoreReply<Void>) in
            self.checkHealth(reply: reply)
        }
    }

    func answer<Value: Sendable>(
        _ call: (@escaping StoreReply<Value>) -> Void
    ) async throws -> Value {
        try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Value, any Error>) in
            call { continuation.resume(with: $0.mapError { $0 as any Error }) }
        }
    }
}

/// Owners in tests are named.
extension OwnerID: ExpressibleByStringLiteral {
    /// The owner with this name.
    public init(stringLiteral text: String) { self.init(text) }
}

/// An unmet assumption of a test.
struct Unexpected: Error, CustomStringConvertible {
    var description: String

    init(_ description: String) { self.description = description }
}

/// Runs `body`, which must be refused, and returns the code.
func refusal(_ body: () async throws -> Void) async -> JobStoreError.Code? {
    do {
        try await body()
        return nil
    } catch {
        return (error as? JobStoreError)?.code
    }
}
