import ContentFiles
import JobKit
import JobStore
import StoreThreads

// DESIGN
// The writer sleeps until a write is added, takes all queued ones, runs them in one transaction, with those that arrive
// meanwhile as long as the group is not large, and makes them durable with one fsync. While it syncs, the next group
// gathers. There is no other delay, except that it waits a moment for the next part of a batch when it has nothing but
// parts of batches, and up to 50 ms for the ends of jobs when it has nothing but jobs that may run first; see
// `FirstRuns`. The pages of a group go to the log in one piece (`csqlite_gather_writes`). When the log has become
// long, it checkpoints, where neighbouring pages go to the database in one piece, and some time after an erasure it
// empties the log; see `LogWipe`. It ends when the queue is closed and empty.
//
// After a failed write or fsync nothing of the group is acknowledged, every further write is refused at once, and the
// writer retries by itself until it can write again. It never trusts a later fsync: the system may have marked pages as
// clean that never reached the disk. So it drops the log from the page cache, opens a new connection, compares what was
// acknowledged last with what the disk has, and makes a probe write durable, which also overwrites what the failed
// group left at the end of the log. When the checkpoint failed, pages of the database itself may be missing: then all
// connections are closed, which makes SQLite forget how far it had come, and the whole log, which is on disk, is
// checkpointed again.

/// The writer thread: the only one that writes and checkpoints.
// Safe because all mutable state is touched by the writer thread only; the opener hands the object over to it before
// the thread starts and does not touch it again.
final class StoreWriter: @unchecked Sendable {
    private let path: String
    private let options: SQLiteOptions
    private let queue: WriteQueue
    private let board: StoreBoard
    private var lock: DirectoryLock?
    private let files: ArtifactFiles?
    /// The open connection. A broken one is kept until another is open, so that SQLite does not forget where the log
    /// ended.
    private var session: WriterSession?
    private let arrived: ArrivalClaims
    /// The current failure of writes.
    private var trouble: WriterTrouble?
    /// The pages written at the last complete checkpoint, and at which the next is tried.
    private var pagesMoved = 0
    private var pagesToTryAt = 0
    private var space: LogSpace
    private var disk: DiskWatch
    private var wipe: LogWipe
    /// A group of this size takes in no more while it is written.
    private static let gatheredMax = 512

    init(
        path: String, options: SQLiteOptions, queue: WriteQueue, board: StoreBoard, lock: DirectoryLock,
        session: WriterSession, files: ArtifactFiles?, disk: DiskWatch
    ) {
        self.disk = disk
        wipe = LogWipe(pauseMilliseconds: options.wipeMilliseconds)
        self.path = path
        self.options = options
        self.queue = queue
        self.board = board
        self.lock = lock
        self.files = files
        self.session = session
        arrived = session.arrived
        space = LogSpace(
            path: path + "-wal", bytesMax: Self.logBytes(options.checkpointBytes / session.pageBytes, session)
        )
        board.tally = session.tally
        session.shortage = disk.shortage
        board.note(shortage: disk.shortage)
        // A server that was killed may have left erased content in the log.
        if lock.wasLeftOpen { wipe.noteErasure(at: .now) }
    }

    /// The body of the thread.
    func run() {
        OSThread.standBack()
        while let commands = queue.next(limit: options.groupMax, waiting: millisecondsLeft) {
            if disk.lookIfDue() { tellShortage() }
            runGroup(commands, gathers: true)
            arrived.forgetEarly()
            if pagesInLog >= checkpointPages { moveLog() }
            if wipe.isPending { wipeLog(isIdle: commands.isEmpty) }
            if trouble?.isDue == true { tryAgain() }
        }
        if trouble == nil { _ = try? session?.connection.checkpoint(truncating: true) }
        session = nil
        space.close()
        lock?.release()
        // Closes it: after the end of the store no descriptor is open, though this thread ends later.
        lock = nil
        board.end()
    }

    /// Milliseconds until there is something to do without a write; nil when there is nothing.
    private var millisecondsLeft: Int? {
        if let trouble { return trouble.millisecondsLeft }
        guard wipe.isPending, let left = wipe.millisecondsLeft(at: .now) else { return disk.millisecondsLeft }
        return min(left, disk.millisecondsLeft ?? left)
    }

    // MARK: Groups

    private func runGroup(_ first: [StoreCommand], gathers: Bool = false) {
        if first.isEmpty { return }
        var commands = first
        guard trouble == nil, let session else {
            refuse(commands, trouble?.failure ?? .unfit("the writer has ended"))
            return
        }
        do throws(SQLiteFailure) {
            arrived.arrivals = board.arrivals
            try session.begin(gathersRows: gathers)
            var place = 0
            while place < commands.count {
                try commands[place].run(in: session, isAlone: commands.count == 1)
                place += 1
                if gathers && place == commands.count { commands += more(than: commands, session) }
            }
            try session.commit { board.observer?.expect($0) }
        } catch {
            session.rollback()
            handle(error, of: commands, gathered: gathers)
            return
        }
        if session.erases { wipe.noteErasure(at: .now) }
        board.noteSettings(session.settingsChanges)
        publish(session)
        arrived.handOver()
        tellOpening(of: session.lines)
        if let files { retire(session, files) }
        for command in commands { command.deliver() }
        if options.sync == .full { space.keepAhead(of: Self.logBytes(pagesInLog, session)) }
    }

    /// The writes that a group takes in.
    private func more(than commands: [StoreCommand], _ session: WriterSession) -> [StoreCommand] {
        let room = Self.gatheredMax - commands.count
        if session.firstRuns.count == commands.count, room > 0 {
            arrived.handOverEarly()
            return queue.more(limit: room, waiting: session.firstRuns.millisecondsLeft, watches: false)
        }
        let waits = room > 0 && commands.allSatisfy(\.isFollowed)
        return queue.more(limit: room, waiting: waits ? 1 : 0)
    }

    /// The length of a log with this number of pages: https://www.sqlite.org/fileformat2.html, section 4.1.
    private static func logBytes(_ pages: Int, _ session: WriterSession) -> Int {
        32 + pages * (24 + session.pageBytes)
    }

    /// Handles the failure of a group, of which nothing was stored. When the file is sound, one command may have failed
    /// the others: each gets a separate transaction. When a gathered row may be the cause, the group is run again with
    /// rows inserted one by one.
    private func handle(_ failure: SQLiteFailure, of commands: [StoreCommand], gathered: Bool) {
        if failure.isFull, disk.isShort || !canWrite(), disk.giveBallast() {
            tellShortage()
            // Now there is space for deletions. There is no second ballast.
            return runGroup(commands)
        }
        if failure.isCorruption {
            board.note(damage: SQLiteFailure.damage(of: path, failure.message))
            do throws(SQLiteFailure) { try openAgain() } catch { begin(trouble: error) }
        } else if failure.isConnectionLost {
            begin(trouble: failure)
        }
        if trouble == nil, gathered, failure.isConstraint {
            runGroup(commands)
        } else if trouble != nil || commands.count == 1 {
            if failure.isFull, trouble == nil, !canWrite() { begin(trouble: failure) }
            refuse(commands, failure)
        } else {
            for command in commands { runGroup([command]) }
        }
    }

    private func refuse(_ commands: [StoreCommand], _ failure: SQLiteFailure) {
        let error = failure.storeError(doing: "Storing a change failed", path: path)
        for command in commands { command.refuse(error) }
    }

    /// Takes new jobs, or takes none, as the disk allows.
    private func tellShortage() {
        session?.shortage = disk.shortage
        if disk.shortage != nil { files?.giveUpPartials() }
        board.note(shortage: disk.shortage)
    }

    private func publish(_ session: WriterSession) {
        if session.changes.isEmpty { return }
        board.tally = session.tally
        board.observer?.tell(session.changes)
    }

    /// Tells the engine when a job that waits in a line may begin.
    private func tellOpening(of lines: QueueLines) {
        if lines.isIdle { return }
        let now = SystemClock().now
        lines.gate.noteStored(at: now)
        guard lines.waiting > 0 else { return }
        let passing = board.arrivals?.room.shares.passing
        if let observer = board.openingObserver,
            let opening = lines.gate.opening(now: now, passing: passing)
        {
            observer(opening)
        }
    }

    /// Removes the content that no job uses since the last commit.
    private func retire(_ session: WriterSession, _ files: ArtifactFiles) {
        for change in session.changes where change.state == nil {
            files.removePartials(of: change.id.description)
        }
        guard !session.artifacts.suspects.isEmpty else { return }
        // A failure leaves files behind, which the next start removes.
        if let unused = try? session.artifacts.takeUnused(), !unused.isEmpty { files.retire(unused) }
    }

    // MARK: Trouble

    /// Records that writes fail, and why.
    private func begin(trouble failure: SQLiteFailure, inDatabase: Bool = false) {
        if trouble == nil {
            trouble = WriterTrouble(
                failure, acknowledged: session?.tally, retryMilliseconds: options.retryMilliseconds)
            let detail = failure.storeError(doing: "Storing a change failed", path: path).detail
            board.note(trouble: failure.isFull ? .full(detail) : .failing(detail))
        }
        if inDatabase { trouble?.isInDatabase = true }
    }

    /// Takes writes again if possible.
    private func tryAgain() {
        guard let trouble else { return }
        do throws(SQLiteFailure) {
            if !trouble.failure.isFull { try openAgain() }
            guard canWrite() else { throw trouble.failure }
            if trouble.isInDatabase { try openAnew() }
        } catch {
            trouble.failAgain()
            return
        }
        self.trouble = nil
        board.note(trouble: nil)
    }

    /// Replaces the connection by a new one that reads from the disk.
    private func openAgain() throws(SQLiteFailure) {
        DiskCache.forget(path + "-wal")
        let opened = try WriterSession(path: path, options: options, arrived: arrived)
        use(opened, after: trouble?.acknowledged ?? session?.tally)
    }

    /// Closes all connections and reopens the writer's: SQLite reads the whole log from the disk, and will checkpoint
    /// all of it.
    private func openAnew() throws(SQLiteFailure) {
        guard board.stopLongReads() else { throw .unfit("a long read is under way") }
        defer { board.allowLongReads() }
        let tally = session?.tally ?? trouble?.acknowledged
        try board.withoutReaders { () throws(SQLiteFailure) in
            session = nil
            DiskCache.forget(path + "-wal")
            use(try WriterSession(path: path, options: options, arrived: arrived), after: tally)
        }
    }

    /// Continues with a new connection, which must have what was acknowledged last.
    private func use(_ opened: WriterSession, after tally: Tally?) {
        if let tally, !opened.tally.hasSameJobs(as: tally) {
            board.note(
                damage:
                    "The disk lost something of \(path) that had been stored (an fsync had failed before). "
                    + "Stop the server, check the disk, and restore the last backup.")
        }
        session = opened
        opened.shortage = disk.shortage
        space = LogSpace(path: path + "-wal", bytesMax: Self.logBytes(checkpointPages, opened))
        // The log counts as long, so that it is checkpointed soon.
        pagesMoved = -checkpointPages
        pagesToTryAt = 0
        board.tally = opened.tally
    }

    /// Tests whether a write can be made durable, by making one.
    private func canWrite() -> Bool {
        guard let session else { return false }
        do throws(SQLiteFailure) {
            try session.begin()
            _ = try session.probe()
            try session.commit()
            return true
        } catch {
            session.rollback()
            return false
        }
    }

    // MARK: The log

    private var checkpointPages: Int { options.checkpointBytes / (session?.pageBytes ?? options.pageBytes) }

    private var pagesInLog: Int {
        guard let session, trouble == nil else { return 0 }
        let written = session.connection.pagesWritten
        return written < pagesToTryAt ? 0 : written - pagesMoved
    }

    private func moveLog() {
        guard let session else { return }
        let written = session.connection.pagesWritten
        var left = 1
        do throws(SQLiteFailure) {
            left = try session.connection.checkpoint(truncating: false)
        } catch {
            // Without space the log stays as it is and nothing is lost.
            if error.isConnectionLost { return begin(trouble: error, inDatabase: true) }
        }
        if left == 0 { pagesMoved = written }
        pagesToTryAt = written + (left == 0 ? 0 : checkpointPages)
    }

    /// Empties the log when it is time, so that erased content leaves the files.
    private func wipeLog(isIdle: Bool) {
        let start = ContinuousClock.now
        guard trouble == nil, let session, wipe.isDue(at: start, isIdle: isIdle) else { return }
        let written = session.connection.pagesWritten
        var isEmpty = false
        do throws(SQLiteFailure) {
            isEmpty = try session.connection.emptyLog()
        } catch {
            if error.isConnectionLost { begin(trouble: error, inDatabase: true) }
        }
        wipe.end(from: start, to: .now, isDone: isEmpty)
        guard isEmpty else { return }
        space.beginAnew()
        (pagesMoved, pagesToTryAt) = (written, written)
    }
}
