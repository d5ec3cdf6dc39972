package import JobKit

/// A job with the facts that only the store knows, and all its state transitions.
///
/// Transitions are decided here for all engines, which load a value, let it change, and write it back. Every transition
/// is checked against `JobState.successors`.
package struct StoredJob: Sendable {
    package var record: JobRecord
    /// The order of acceptance, which decides between jobs that became runnable at the same time.
    package var number: Int64
    /// The time since which the job may be claimed: set in `queued`, and in `cancelling` without a claim.
    package var readyAt: Timestamp?
    /// The owner of the claim; nil without a claim.
    package var owner: OwnerID?
    /// The idempotency key of the job's submission.
    package var idempotencyKey: String?
    /// The number of posts to the job, and of the wakes while it ran.
    package var posts: Int64 = 0
    /// Tables in which the job may have rows, and further facts.
    package var flags: Flags = []

    /// The tables in which a job may have rows, so that most transitions need not look, and facts that its record
    /// lacks.
    package struct Flags: OptionSet {
        package let rawValue: Int64

        package init(rawValue: Int64) { self.rawValue = rawValue }

        /// Wake keys.
        package static let wake = Flags(rawValue: 1)
        /// Exclusive keys that the job holds, or waits for in a line of the store.
        package static let hold = Flags(rawValue: 2)
        /// Approvals, open or not. Kept until the job is erased.
        package static let approval = Flags(rawValue: 16)
        /// Artifacts. Kept until the job is erased.
        package static let artifact = Flags(rawValue: 64)
        /// A unique key, which the job holds until it is final and claims again when retried. Kept until its erasure.
        package static let unique = Flags(rawValue: 128)
        /// Not a row: the job waits for its unique key, and nothing else may start it.
        package static let turn = Flags(rawValue: 256)
        /// Callbacks for this end, with a row until they are stored. Kept until the job is erased.
        package static func callback(_ end: JobState) -> Flags {
            switch end {
            case .succeeded: Flags(rawValue: 512)
            case .failed: Flags(rawValue: 1_024)
            case .cancelled: Flags(rawValue: 2_048)
            case .expired: Flags(rawValue: 4_096)
            case .skipped: Flags(rawValue: 8_192)
            default: []
            }
        }
        /// Callbacks for any end.
        package static let anyCallback = JobState.allCases.reduce(into: Flags()) {
            $0.formUnion(callback($1))
        }
        /// Not a row: `expiresAt` is the job's deadline, at which it fails. Cleared by the first update of a run that
        /// has started it: runs enforce the deadline from then on.
        package static let deadline = Flags(rawValue: 16_384)
        /// A journal summary.
        package static let summary = Flags(rawValue: 32_768)
        /// The kinds of its waits, from its first suspension to its end.
        package static let waits = Flags(rawValue: 1_048_576)
        /// Uploads that the job uses. Kept until the job is erased.
        package static let upload = Flags(rawValue: 4_194_304)
    }

    /// Creates a job from its row.
    package init(record: JobRecord, number: Int64) {
        self.record = record
        self.number = number
    }

    /// Creates a new job.
    package init(_ new: NewJob, number: Int64) {
        record = new.record
        self.number = number
        idempotencyKey = new.idempotency?.key
        for end in new.callbackEnds { flags.formUnion(.callback(end)) }
        if !new.uploads.isEmpty { flags.insert(.upload) }
        if record.state == .queued { readyAt = record.runAt ?? record.createdAt }
        if record.dueAt != nil, !record.state.hasDueTime { self.record.dueAt = nil }
        if let deadline = new.deadline, record.expiresAt.map({ deadline < $0 }) ?? true {
            record.expiresAt = deadline
            flags.insert(.deadline)
        }
    }

    /// The time at which the job became or becomes claimable; nil when it cannot be claimed.
    package var claimableAt: Timestamp? { readyAt ?? record.dueAt }

    /// Whether the job can no longer be started.
    package func isLapsed(at now: Timestamp) -> Bool {
        guard let expiresAt = record.expiresAt, record.startedAt == nil else { return false }
        return expiresAt <= now && record.state.successors.contains(.expired)
    }

    /// The state of a job that did not start in time.
    package var lapsedState: JobState { flags.contains(.deadline) ? .failed : .expired }

    /// Claims a new job for a runner when it may run at once, no other job of its tenant waits, and a slot is free.
    /// - Parameter isAlone: whether no other job of its tenant is claimable at this time.
    package mutating func claim<Failure: Error>(
        for arrivals: JobArrivals, isAlone: (Timestamp) throws(Failure) -> Bool
    ) throws(Failure) -> Bool {
        guard readyAt != nil else { return false }
        let (now, tenant) = (max(arrivals.now(), record.createdAt), record.tenant)
        guard !isLapsed(at: now), arrivals.room.hasRoom(for: tenant), try isAlone(now),
            arrivals.room.takeOne(for: tenant)
        else { return false }
        claim(for: arrivals.owner, now: now)
        return true
    }

    /// Claims the job for `owner`, which does not start it before its date.
    package mutating func claim(for owner: OwnerID, now: Timestamp) {
        if record.state != .cancelling { record.state = .running }
        record.revision += 1
        record.fence += 1
        record.startedAt = record.startedAt ?? max(now, record.dueAt ?? now, record.runAt ?? now)
        record.dueAt = nil
        readyAt = nil
        self.owner = owner
    }

    /// The change for the commit observer.
    package var change: JobChange {
        var change = JobChange(record)
        if record.state.isFinal {
            change.hasCallbacks = hasCallback
            change.ended = EndedJob(record)
        }
        return change
    }

    /// Whether the job has callbacks for its current state.
    package var hasCallback: Bool { !flags.isDisjoint(with: .callback(record.state)) }

    /// Whether `fence` belongs to the current claim.
    package func isHeld(fence: Int64) -> Bool { owner != nil && record.fence == fence }

    /// Applies the state reported by the run. `latest` is the time of the run's last entry.
    package mutating func apply(_ standing: RunUpdate.Standing, latest: Timestamp?) throws(JobStoreError) {
        let stops = record.state == .cancelling
        let kept = record.detail.kept
        let hasMissedPosts =
            !standing.state.isFinal && standing.state != .running && hasNews(after: standing.postsSeen)
        let wanted = hasMissedPosts ? .queued : standing.state
        let state = stops && !standing.state.isFinal ? .cancelling : wanted
        guard state == record.state || record.state.successors.contains(state) else {
            throw JobStoreError(
                .wrongState(record.state),
                "A job that is \(record.state.rawValue) cannot become \(state.rawValue).")
        }
        record.state = state
        record.revision += 1
        record.attempt = standing.attempt
        record.detail = standing.completeDetail
        if !kept.submission.isEmpty { record.detail.submit { $0 = kept.submission } }
        if lastPost > 0 || kept.retries > 0 {
            record.detail.change { ($0.untakenBytes, $0.retries) = (kept.untakenBytes, kept.retries) }
        }
        record.dueAt = state.hasDueTime ? standing.dueAt : nil
        settleDeadline(wasStarted: standing.wasStarted)
        if !standing.wasStarted { takeStartBack() }
        if standing.state != .running && standing.state != .cancelling { endClaim() }
        if state.isFinal {
            finish(at: standing.finishedAt ?? latest ?? record.startedAt ?? record.createdAt)
        } else if owner == nil && (state == .queued || state == .cancelling) {
            readyAt = stops ? record.createdAt : latest ?? record.createdAt
        }
    }

    /// Leaves the deadline to the runs of a job that has started. One that was suspended before keeps it, so that it
    /// fails then although no run may begin: in the line of its queue, or for want of a slot.
    private mutating func settleDeadline(wasStarted: Bool) {
        guard flags.contains(.deadline) else { return }
        if wasStarted || !record.state.successors.contains(.expired) {
            flags.remove(.deadline)
            record.expiresAt = nil
        } else if let dueAt = record.dueAt, let deadline = record.expiresAt, dueAt >= deadline {
            // A job that is due but late is not claimed: the engine would look for it in vain.
            record.dueAt = nil
        }
    }

    /// Records the attempt that a run has reached before it ends. Returns whether the job changed.
    package mutating func noteAttempt(in journal: [JournalEntry]) -> Bool {
        let hasTaken = noteTaken(in: journal)
        var latest = record.attempt
        for entry in journal where entry.path.isEmpty {
            if case .attemptStarted(let number, _, _) = entry.event { latest = max(latest, number) }
        }
        guard latest > record.attempt else { return hasTaken }
        record.attempt = latest
        record.revision += 1
        return true
    }

    /// Applies a post. Returns whether a run is in progress that must be notified.
    package mutating func take(_ post: JobPost, limits: StoreLimits) throws(JobStoreError) -> Bool {
        guard !record.state.isFinal else { throw .over(record.state) }
        if let wanted = post.ifRevision, wanted != record.revision {
            throw JobStoreError(
                .revisionConflict(record.revision),
                "The job changed meanwhile: it has revision \(record.revision), not \(wanted).")
        }
        guard lastPost < limits.postsMax else {
            throw JobStoreError(
                .mailboxFull,
                "Job \(record.id) was sent \(limits.postsMax) messages, which is the limit for one job.")
        }
        if record.state == .cancelling && post.effect != .wake { throw .over(record.state) }
        try weigh(post, limits.untakenBytesMax)
        posts += 1
        if record.state == .running || record.state == .cancelling { return true }
        switch post.effect {
        case .wake: wake(at: post.journal.at)
        case .hold:
            pause(at: post.journal.at, alarm: post.alarm)
            record.detail.change { detail in
                detail.hold = JournalFold([post.journal]).hold
                detail.waits = []
            }
        case .release: release(at: post.journal.at)
        }
        return false
    }

    /// Makes a suspended job claimable; a job in flight is queued again when it is suspended. Returns whether it became
    /// claimable.
    @discardableResult
    package mutating func wake(at now: Timestamp) -> Bool {
        if flags.contains(.turn) { return false }
        switch record.state {
        case .waiting, .retrying, .pending:
            record.state = .queued
            record.revision += 1
            record.dueAt = nil
            readyAt = now
            return true
        case .running:
            noteWake()
            return false
        default: return false
        }
    }

    /// A suspended job keeps its date, and a runnable one is claimed again for a timer that may fire.
    private mutating func pause(at now: Timestamp, alarm: Timestamp?) {
        guard record.state != .held else { return }
        let isReady = record.state == .queued || record.state == .scheduled
        if isReady { record.dueAt = record.startedAt == nil ? alarm : now }
        record.state = .held
        record.revision += 1
        readyAt = nil
    }

    private mutating func release(at now: Timestamp) {
        guard record.state == .held else { return }
        record.revision += 1
        record.detail.change { detail in
            detail.hold = nil
            detail.waits = []
            if !flags.contains(.turn) { detail.turn = nil }
        }
        if flags.contains(.turn) {
            record.state = .pending
        } else {
            start(at: now)
        }
    }

    private mutating func start(at now: Timestamp) {
        if record.startedAt == nil, let runAt = record.runAt, runAt > now {
            record.state = .scheduled
            record.dueAt = runAt
        } else {
            record.state = .queued
            record.dueAt = nil
            readyAt = now
        }
    }

    /// Makes a new job wait until its unique key is free, which `holder` has.
    package mutating func awaitTurn(for key: String, behind holder: JobID) {
        flags.insert(.turn)
        record.state = .pending
        var detail = JobDetail()
        detail.turn = JobDetail.Turn(key: key, holder: holder, since: record.createdAt)
        record.detail = StoredDetail(detail, after: record.detail)
        record.dueAt = nil
        readyAt = nil
    }

    /// Gives the job its unique key. A paused job starts when it is released.
    package mutating func takeTurn(at now: Timestamp) {
        flags.remove(.turn)
        guard record.state == .pending else { return }
        record.revision += 1
        record.detail = StoredDetail(JobDetail(), after: record.detail)
        start(at: now)
    }

    /// Retries the job at once.
    package mutating func retry(at now: Timestamp) throws(JobStoreError) {
        guard record.state.isFinal && record.state.successors.contains(.queued) else {
            throw JobStoreError(
                .wrongState(record.state),
                "Only failed, cancelled and expired jobs can be retried; this one is \(record.state.rawValue)."
            )
        }
        record.state = .queued
        record.revision += 1
        record.detail = StoredDetail(JobDetail(), after: record.detail)
        record.detail.change { $0.retries += 1 }
        record.finishedAt = nil
        record.purgeAt = nil
        record.expiresAt = nil
        record.runAt = record.runAt.map { min($0, now) }
        readyAt = now
    }

    /// Throws unless the job may be erased.
    package func checkErasable() throws(JobStoreError) {
        guard record.state.isFinal else {
            throw JobStoreError(
                .wrongState(record.state),
                "Only final jobs can be erased; this one is \(record.state.rawValue). Cancel it first.")
        }
    }

    /// Ends it with `error` because it was not started in time, as `lapsedState`; its journal entry.
    package mutating func expire(at now: Timestamp, _ error: AOperationError) -> JournalEntry {
        let ending = OperationEnding(state: lapsedState, errors: [error])
        record.state = ending.state
        flags.remove(.deadline)
        record.revision += 1
        record.detail = StoredDetail(JobDetail(errors: [error]), after: record.detail)
        endClaim()
        finish(at: now)
        return JournalEntry(at: now, path: [], event: .finished(ending))
    }

    /// Requeues the job of an owner that is dead or stops. A `cancelling` one stays so and becomes claimable.
    /// - Parameter isDeath: whether the owner crashed while the job ran, which counts against the job.
    package mutating func putBack(at now: Timestamp, isDeath: Bool) {
        endClaim()
        readyAt = now
        let isAhead = record.startedAt.map { $0 > now } ?? false
        if isAhead { takeStartBack() }
        let wasRunning = record.state == .running
        if wasRunning {
            record.state = .queued
            record.revision += 1
        }
        if wasRunning && isDeath && !isAhead { noteCrash() } else { flags.remove(.alone) }
    }

    /// Takes the start of a job back that has not begun. One that is cancelled does not expire any more: it has to be
    /// claimed once again, to end.
    private mutating func takeStartBack() {
        record.startedAt = nil
        if record.state == .cancelling { record.expiresAt = nil }
    }

    /// The state of a run that suspends its job although a post has come meanwhile: the job is queued again.
    package static func lookingAgain(_ standing: RunUpdate.Standing) -> RunUpdate.Standing {
        var standing = standing
        standing.postsSeen = -1
        return standing
    }

    mutating func endClaim() {
        owner = nil
        readyAt = nil
        flags.remove(.woken)
    }

    mutating func finish(at time: Timestamp) {
        let succeeded = record.state == .succeeded || record.state == .skipped
        let keep = succeeded ? record.keepSucceededMilliseconds : record.keepFailedMilliseconds
        flags.subtract([.turn, .crashes])
        record.dueAt = nil
        record.finishedAt = time
        record.purgeAt = time.advanced(by: .milliseconds(max(0, keep)))
    }
}
