import JobKit

/// The writer thread: the only one that writes and checkpoints.
///
/// It sleeps until somebody adds a write, takes all that have come, runs them in one transaction and makes them
/// durable with one fsync. While it syncs, the next group gathers; there is no other delay. In quiet moments, and
/// when the write-ahead log has become long, it moves the log into the database. It ends when the queue is closed and
/// empty.
// Safe because all that changes is touched by the writer thread only; the opener hands the object over to it before
// the thread starts and does not touch it again.
final class StoreWriter: @unchecked Sendable {
    private let path: String
    private let options: SQLiteOptions
    private let queue: WriteQueue
    private let board: StoreBoard
    private let lock: DirectoryLock
    private let files: ArtifactFiles?
    /// The open connection; nil after it broke, until it can be opened again.
    private var session: WriterSession?
    /// Pages written when the log was last moved completely, and when moving it is to be tried again.
    private var pagesMoved = 0
    private var pagesToTryAt = 0

    init(
        path: String, options: SQLiteOptions, queue: WriteQueue, board: StoreBoard, lock: DirectoryLock,
        session: WriterSession, files: ArtifactFiles?
    ) {
        self.path = path
        self.options = options
        self.queue = queue
        self.board = board
        self.lock = lock
        self.files = files
        self.session = session
        board.counts = session.tally.byState
    }

    /// The body of the thread.
    func run() {
        var isOver = false
        while !isOver {
            switch queue.next(
                limit: options.groupMax, waiting: pagesInLog >= options.checkpointPages ? 50 : nil)
            {
            case .run(let commands):
                runGroup(commands)
                if pagesInLog >= options.checkpointPagesMax { moveLog() }
            case .quiet: if pagesInLog >= options.checkpointPages { moveLog() }
            case .end: isOver = true
            }
        }
        _ = try? session?.connection.checkpoint(truncating: true)
        session = nil
        lock.release()
        board.end()
    }

    // MARK: Groups

    private func runGroup(_ commands: [StoreCommand]) {
        if commands.isEmpty { return }
        let session: WriterSession
        do throws(SQLiteFailure) {
            session = try openSession()
        } catch {
            refuse(commands, error)
            return
        }
        do throws(SQLiteFailure) {
            try session.begin()
            for command in commands { try command.run(in: session) }
            try session.commit()
        } catch {
            session.rollback()
            handle(error, of: commands)
            return
        }
        publish(session)
        if let files { retire(session, files) }
        for command in commands { command.deliver() }
    }

    /// Nothing of the group was stored. When the connection is sound, one command may have spoiled it for all:
    /// each gets its own transaction.
    private func handle(_ failure: SQLiteFailure, of commands: [StoreCommand]) {
        if failure.isConnectionLost {
            session = nil
            refuse(commands, failure)
        } else if commands.count == 1 {
            refuse(commands, failure)
        } else {
            for command in commands { runGroup([command]) }
        }
    }

    private func openSession() throws(SQLiteFailure) -> WriterSession {
        if let session { return session }
        let opened = try WriterSession(path: path, options: options)
        session = opened
        pagesMoved = 0
        pagesToTryAt = 0
        board.counts = opened.tally.byState
        return opened
    }

    private func refuse(_ commands: [StoreCommand], _ failure: SQLiteFailure) {
        let error = failure.storeError(doing: "Storing a change failed", path: path)
        for command in commands { command.refuse(error) }
    }

    private func publish(_ session: WriterSession) {
        if session.changes.isEmpty { return }
        board.counts = session.tally.byState
        board.observer?(session.changes)
    }

    /// Removes the content that no job uses since the last commit.
    private func retire(_ session: WriterSession, _ files: ArtifactFiles) {
        for change in session.changes where change.state == nil {
            files.removePartials(of: change.id.description)
        }
        guard !session.suspects.isEmpty else { return }
        // A failure here leaves files behind, which go at the next start.
        if let unused = try? session.takeUnused(), !unused.isEmpty { files.retire(unused) }
    }

    // MARK: The log

    private var pagesInLog: Int {
        guard let session else { return 0 }
        let written = session.connection.pagesWritten
        return written < pagesToTryAt ? 0 : written - pagesMoved
    }

    private func moveLog() {
        guard let session else { return }
        let written = session.connection.pagesWritten
        // A failure here loses nothing: the log stays as it is, and the next attempt or commit tells.
        let left = (try? session.connection.checkpoint(truncating: false)) ?? 1
        if left == 0 { pagesMoved = written }
        pagesToTryAt = written + (left == 0 ? 0 : options.checkpointPages)
    }
}
