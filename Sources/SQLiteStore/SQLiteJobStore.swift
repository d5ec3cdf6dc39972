import Glibc
package import JobKit
package import JobStore

/// The store in one SQLite file, `jobs.db`, in a data directory of its own.
///
/// One thread writes; see `StoreWriter`. Every caller only queues its write, so no call blocks.
package final class SQLiteJobStore: JobStore {
    private let queue: WriteQueue
    let board: StoreBoard
    let directory: String
    let path: String
    let options: SQLiteOptions
    /// See `JobStore.wasLeftOpen`.
    package let wasLeftOpen: Bool
    private let files: ArtifactFiles?

    /// Opens the store in `directory`; makes both when they are missing.
    /// - Throws: `.unavailable` when the directory is in use by another server or cannot be used, or the file was
    ///   made by a newer version; `.corrupt` when the file is damaged; `.diskFull`. The text says what to do.
    package init(directory: String, options: SQLiteOptions = SQLiteOptions()) throws(JobStoreError) {
        let lock = try DirectoryLock(directory: directory)
        let path = directory + "/jobs.db"
        try Self.makePrivate(path)
        let session: WriterSession
        do throws(SQLiteFailure) {
            session = try WriterSession(path: path, options: options)
        } catch {
            throw error.storeError(doing: "Opening the store failed", path: path)
        }
        self.directory = directory
        self.path = path
        wasLeftOpen = lock.wasLeftOpen
        self.options = options
        queue = WriteQueue()
        board = StoreBoard()
        let files = try options.artifacts.map { options throws(JobStoreError) in
            try ArtifactFiles(path: directory + "/artifacts", options: options)
        }
        self.files = files
        let writer = StoreWriter(
            path: path, options: options, queue: queue, board: board, lock: lock, session: session,
            files: files)
        try OSThread.start { writer.run() }
        if let files { Self.tidy(files, queue) }
    }

    /// Removes what an earlier process left behind in files, and from then on what nobody uses any more.
    private static func tidy(_ files: ArtifactFiles, _ queue: WriteQueue) {
        files.begin { [weak queue] digests in
            queue?.add(
                StoreCommand(reply: { _ in }) { session throws(SQLiteFailure) in session.suspect(digests) })
        }
        let owners = files.ownersOfPartials
        guard !owners.isEmpty else { return }
        queue.add(
            StoreCommand(
                reply: { reply in
                    guard case .success(let over) = reply else { return }
                    for owner in over { files.removePartials(of: owner) }
                }
            ) { session throws(SQLiteFailure) in try session.finished(owners) })
    }

    /// See `JobStore.artifacts`.
    package var artifacts: (any ArtifactPlace)? { files }

    deinit { queue.close() }

    /// Makes the file, for its owner only; the write-ahead log takes over its mode.
    private static func makePrivate(_ path: String) throws(JobStoreError) {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0, fchmod(descriptor, 0o600) == 0 else {
            let reason = unsafe String(cString: strerror(errno))
            if descriptor >= 0 { _ = Glibc.close(descriptor) }
            throw JobStoreError(
                .unavailable,
                "The database \(path) cannot be opened for writing (\(reason)). Check who owns it.")
        }
        _ = Glibc.close(descriptor)
    }

    /// See `JobStore.submit`.
    package func submit(
        _ job: NewJob, reply: @escaping @Sendable (Result<SubmitOutcome, JobStoreError>) -> Void
    ) {
        queue.add(
            StoreCommand(addsJobs: true, reply: reply) { session throws(SQLiteFailure) in
                try session.submit(job)
            })
    }

    /// See `JobStore.submit`.
    package func submit(
        _ jobs: [NewJob], isAtomic: Bool, isFollowed: Bool,
        reply: @escaping @Sendable (Result<BatchOutcome, JobStoreError>) -> Void
    ) {
        queue.add(
            StoreCommand(addsJobs: true, isFollowed: isFollowed, reply: reply) {
                session throws(SQLiteFailure) in
                try session.submit(jobs, isAtomic: isAtomic)
            })
    }

    /// See `JobStore.submit(callbacks:)`.
    package func submit(
        callbacks: [JobCallbacks], reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        queue.add(
            StoreCommand(reply: reply) { session throws(SQLiteFailure) in
                try session.submit(callbacks: callbacks)
            })
    }

    /// See `JobStore.claim`.
    package func claim(
        _ request: ClaimRequest, reply: @escaping @Sendable (Result<[Claim], JobStoreError>) -> Void
    ) {
        queue.add(StoreCommand(reply: reply) { session throws(SQLiteFailure) in try session.claim(request) })
    }

    /// See `JobStore.takeArrivals`.
    package func takeArrivals(_ arrivals: JobArrivals?) { board.arrivals = arrivals }

    /// See `JobStore.update`.
    package func update(
        _ update: RunUpdate, reply: @escaping @Sendable (Result<Int64, JobStoreError>) -> Void
    ) {
        queue.add(
            StoreCommand(bytes: update.bytes, reply: reply) { session throws(SQLiteFailure) in
                try session.update(update)
            })
    }

    /// See `JobStore.renew`.
    package func renew(
        _ claims: [ClaimKey], now: Timestamp, lease: Duration,
        reply: @escaping @Sendable (Result<[ClaimKey], JobStoreError>) -> Void
    ) {
        queue.add(
            StoreCommand(reply: reply) { session throws(SQLiteFailure) in
                try session.renew(claims, now: now, lease: lease)
            })
    }

    /// See `JobStore.cancel`.
    package func cancel(
        _ request: CancelRequest, reply: @escaping @Sendable (Result<CancelOutcome, JobStoreError>) -> Void
    ) {
        queue.add(
            StoreCommand(reply: reply) { session throws(SQLiteFailure) in try session.cancel(request) })
    }

    /// See `JobStore.retry`.
    package func retry(
        _ id: JobID, journal: JournalEntry,
        reply: @escaping @Sendable (Result<JobRecord, JobStoreError>) -> Void
    ) {
        queue.add(
            StoreCommand(reply: reply) { session throws(SQLiteFailure) in
                try session.retry(id, journal: journal)
            })
    }

    /// See `JobStore.post`.
    package func post(
        _ post: JobPost, reply: @escaping @Sendable (Result<PostReceipt, JobStoreError>) -> Void
    ) {
        queue.add(StoreCommand(reply: reply) { session throws(SQLiteFailure) in try session.post(post) })
    }

    /// See `JobStore.wake(_:)`.
    package func wake(_ ids: [JobID], reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void) {
        let now = SystemClock().now
        queue.add(
            StoreCommand(reply: reply) { session throws(SQLiteFailure) in try session.wake(ids, at: now) })
    }

    /// See `JobStore.wake(key:)`.
    package func wake(key: String, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void) {
        let now = SystemClock().now
        queue.add(
            StoreCommand(reply: reply) { session throws(SQLiteFailure) in try session.wake(key: key, at: now)
            })
    }

    /// See `JobStore.decide`.
    package func decide(
        _ decision: ApprovalDecision,
        reply: @escaping @Sendable (Result<ApprovalReceipt, JobStoreError>) -> Void
    ) {
        queue.add(
            StoreCommand(reply: reply) { session throws(SQLiteFailure) in try session.decide(decision) })
    }

    /// See `JobStore.put`.
    package func put(
        _ grant: GrantRecord, at now: Timestamp,
        reply: @escaping @Sendable (Result<GrantReceipt, JobStoreError>) -> Void
    ) {
        queue.add(
            StoreCommand(reply: reply) { session throws(SQLiteFailure) in try session.put(grant, at: now) })
    }

    /// See `JobStore.request`.
    package func request(
        _ name: String, _ request: GrantRequest,
        reply: @escaping @Sendable (Result<GrantRecord, JobStoreError>) -> Void
    ) {
        queue.add(
            StoreCommand(reply: reply) { session throws(SQLiteFailure) in try session.request(name, request) }
        )
    }

    /// See `JobStore.removeGrant`.
    package func removeGrant(
        _ name: String, at now: Timestamp, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        queue.add(
            StoreCommand(reply: reply) { session throws(SQLiteFailure) in
                try session.removeGrant(name, at: now)
            })
    }

    /// See `JobStore.put(_:reply:)`.
    package func put(
        _ template: TemplateRecord,
        reply: @escaping @Sendable (Result<TemplateReceipt, JobStoreError>) -> Void
    ) {
        queue.add(StoreCommand(reply: reply) { session throws(SQLiteFailure) in try session.put(template) })
    }

    /// See `JobStore.removeTemplate`.
    package func removeTemplate(
        _ name: String, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        queue.add(
            StoreCommand(reply: reply) { session throws(SQLiteFailure) in try session.removeTemplate(name) })
    }

    /// See `JobStore.put(_:reply:)`.
    package func put(
        _ draft: SettingDraft, reply: @escaping @Sendable (Result<SettingRecord, JobStoreError>) -> Void
    ) {
        queue.add(StoreCommand(reply: reply) { session throws(SQLiteFailure) in try session.put(draft) })
    }

    /// See `JobStore.remember`.
    package func remember(
        _ validator: AnswerValidator, for key: String,
        reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        queue.add(
            StoreCommand(reply: reply) { session throws(SQLiteFailure) in
                try session.remember(validator, for: key)
                return .success(())
            })
    }

    /// See `JobStore.removeSetting`.
    package func removeSetting(
        _ kind: SettingKind, _ name: String, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void
    ) {
        queue.add(
            StoreCommand(reply: reply) { session throws(SQLiteFailure) in
                try session.removeSetting(kind, name)
            })
    }

    /// See `JobStore.erase`.
    package func erase(_ id: JobID, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void) {
        queue.add(StoreCommand(reply: reply) { session throws(SQLiteFailure) in try session.erase(id) })
    }

    /// See `JobStore.sweep`.
    package func sweep(
        now: Timestamp, limit: Int, expire: @escaping @Sendable (JobRecord, JobState) -> ExpiredJob,
        reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        let limit = StoreRange.batch(limit)
        queue.add(
            StoreCommand(reply: reply) { session throws(SQLiteFailure) in
                try session.sweep(now: now, limit: limit, expire: expire)
            })
    }

    /// See `JobStore.recover`.
    package func recover(
        formerOwner: String?, now: Timestamp, reply: @escaping @Sendable (Result<Int, JobStoreError>) -> Void
    ) {
        queue.add(
            StoreCommand(reply: reply) { session throws(SQLiteFailure) in
                try session.recover(formerOwner: formerOwner, now: now)
            })
    }

    /// See `JobStore.nextDueAt`.
    package func nextDueAt(reply: @escaping @Sendable (Result<Timestamp?, JobStoreError>) -> Void) {
        queue.add(
            StoreCommand(reply: reply) { session throws(SQLiteFailure) in
                try session.nextDueAt()
            })
    }

    /// See `JobStore.checkHealth`.
    package func checkHealth(reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void) {
        queue.add(StoreCommand(reply: reply) { session throws(SQLiteFailure) in try session.probe() })
    }

    /// See `JobStore.counts`.
    package func counts() -> [JobState: Int] { board.counts }

    /// See `JobStore.condition`.
    package var condition: StoreCondition { board.condition }

    /// See `JobStore.pressure`.
    package var pressure: StorePressure { queue.pressure }

    /// See `JobStore.observeCondition`.
    package func observeCondition(_ observer: @escaping @Sendable (StoreCondition) -> Void) {
        board.observeCondition(observer)
    }

    /// See `JobStore.makeReader`.
    package func makeReader() throws(JobStoreError) -> any JobReader {
        if board.isClosed { throw .closed }
        return try SQLiteJobReader(path: path, options: options, board: board)
    }

    /// See `JobStore.observeCommits`.
    package func observeCommits(_ observer: @escaping @Sendable ([JobChange]) -> Void) {
        board.observer = observer
    }

    /// See `JobStore.close`.
    package func close() async {
        board.close()
        queue.close()
        await withCheckedContinuation { continuation in
            board.whenEnded { continuation.resume() }
        }
    }
}
