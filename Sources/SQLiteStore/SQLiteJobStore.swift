import ContentFiles
import Glibc
import JobKit
import JobSpec
package import JobStore
import StoreThreads
import Synchronization

/// The store in one SQLite file, `jobs.db`, in its data directory.
///
/// One thread writes; see `StoreWriter`. Callers only enqueue their writes, so no call blocks.
final class SQLiteJobStore: JobStore {
    let queue: WriteQueue
    let board: StoreBoard
    let directory: String
    let path: String
    let options: SQLiteOptions
    let wasLeftOpen: Bool
    let files: ArtifactFiles?
    /// The store that this one is a view of; nil for the store itself.
    private let whole: SQLiteJobStore?
    /// Recorded with each write of a view.
    private let audit: AuditDraft?
    /// The name of the tenant whose writes a view makes; empty without one.
    let owner: String
    /// The reader of `read`, opened on first use.
    private let sharedReader = Mutex<(any JobReader)?>(nil)

    /// Opens the store in `directory`, creating both when missing.
    /// - Throws: `.unavailable` when the directory is in use by another server or cannot be used, or the file was
    ///   created by a newer version; `.corrupt` when the file is damaged; `.diskFull`. The text says what to do.
    init(directory: String, options: SQLiteOptions) throws(JobStoreError) {
        let lock = try DirectoryLock(directory: directory)
        let path = directory + "/jobs.db"
        let disk = DiskWatch(directory, options.reserve)
        try Self.makePrivate(path)
        let session: WriterSession
        do throws(SQLiteFailure) {
            session = try WriterSession(path: path, options: options)
        } catch {
            throw error.storeError(doing: "Opening the store failed", path: path)
        }
        self.directory = directory
        self.path = path
        whole = nil
        audit = nil
        owner = ""
        wasLeftOpen = lock.wasLeftOpen
        self.options = options
        queue = WriteQueue()
        board = StoreBoard()
        let files = try options.artifacts.map { [reserve = options.reserve] options throws(JobStoreError) in
            var options = options
            options.reserve = reserve
            return try ArtifactFiles(path: directory + "/artifacts", options: options)
        }
        self.files = files
        let writer = StoreWriter(
            path: path, options: options, queue: queue, board: board, lock: lock, session: session,
            files: files, disk: disk)
        try OSThread.start("writer") { writer.run() }
        if let files { Self.tidy(files, queue) }
    }

    /// A view of a store that makes the writes of a tenant, or records its writes.
    init(_ store: SQLiteJobStore, for tenant: Tenant? = nil, auditing draft: AuditDraft? = nil) {
        queue = store.queue
        board = store.board
        directory = store.directory
        path = store.path
        options = store.options
        wasLeftOpen = store.wasLeftOpen
        files = store.files
        whole = store
        owner = tenant?.name ?? store.owner
        audit = draft ?? store.audit
    }

    /// Removes the files that an earlier process left behind, and from then on content that is no longer used.
    private static func tidy(_ files: ArtifactFiles, _ queue: WriteQueue) {
        files.begin { [weak queue] digests in
            queue?.add(
                StoreCommand(reply: { _ in }) { session throws(SQLiteFailure) in
                    session.artifacts.suspect(digests)
                    return .success(())
                })
        }
        let owners = files.ownersOfPartials
        guard !owners.isEmpty else { return }
        queue.add(
            StoreCommand(
                reply: { reply in
                    guard case .success(let over) = reply else { return }
                    for owner in over { files.removePartials(of: owner) }
                }
            ) { session throws(SQLiteFailure) in
                .success(try session.artifacts.finished(owners))
            })
    }

    var artifacts: (any ArtifactPlace)? { files }

    deinit { if whole == nil { queue.close() } }

    /// Creates the file with mode 0600, which SQLite copies to the write-ahead log.
    static func makePrivate(_ path: String) throws(JobStoreError) {
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

    /// Enqueues a write; the writer thread runs `work` and answers through `reply`. See `StoreCommand`.
    func write<Value: Sendable>(
        _ reply: @escaping StoreReply<Value>, isUpdate: Bool = false,
        bytes: Int = 0, rows: Int = 1,
        _ work: @escaping @Sendable (WriterSession) throws(SQLiteFailure) -> Result<Value, JobStoreError>
    ) {
        guard let audit else {
            return queue.add(
                StoreCommand(
                    of: owner, isUpdate: isUpdate, bytes: bytes, rows: rows, reply: reply, work: work))
        }
        queue.add(
            StoreCommand(of: owner, isUpdate: isUpdate, bytes: bytes, rows: rows, reply: reply) {
                session throws(SQLiteFailure) in
                try session.recording(audit, work)
            })
    }

    func auditing(_ draft: AuditDraft) -> any JobStore { SQLiteJobStore(self, auditing: draft) }

    func writing(for tenant: Tenant) -> any JobStore { SQLiteJobStore(self, for: tenant) }

    func perform<Write: StoreWrite>(_ write: Write, reply: @escaping StoreReply<Write.Reply>) {
        self.write(reply, bytes: write.bytes, rows: write.rows) { session throws(SQLiteFailure) in
            try write.apply(in: session)
        }
    }

    var settingsVersion: Int64 { board.settingsVersion.load(ordering: .acquiring) }

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any JobReader) throws(JobStoreError) -> Value
    ) async throws(JobStoreError) -> Value {
        if let whole { return try await whole.read(body) }
        let reader = try sharedReader.withLock { shared throws(JobStoreError) -> any JobReader in
            if let shared { return shared }
            let made = try makeReader()
            shared = made
            return made
        }
        return try body(reader)
    }

    func makeReader() throws(JobStoreError) -> any JobReader {
        if board.isClosed { throw .closed }
        return try SQLiteJobReader(path: path, options: options, board: board)
    }

    func counts() -> [JobState: Int] { board.tally.byState }

    func observeCommits(
        expecting: @escaping @Sendable ([JobChange]) -> Void,
        _ observer: @escaping @Sendable ([JobChange]) -> Void
    ) {
        board.observer = StoreBoard.CommitObserver(expect: expecting, tell: observer)
    }
}

extension DataDirectory {
    /// Opens the store in the directory, creating both when missing.
    /// - Throws: `.unavailable` when the directory is in use by another server or cannot be used, or the file was
    ///   created by a newer version; `.corrupt` when the file is damaged; `.diskFull`. The text says what to do.
    package func open(_ options: SQLiteOptions = SQLiteOptions()) throws(JobStoreError) -> any JobStore {
        try SQLiteJobStore(directory: path, options: options)
    }
}
