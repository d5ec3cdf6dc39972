import JobKit
import JobSpec
import JobStore
import ScratchPostgres
import Synchronization
import Testing

@testable import PostgresStore

@Suite struct `Writes while the database is silent` {
    /// The answers by the name of the write; "made" when there is no error.
    private final class Answers: Sendable {
        let said = Mutex<[String: [String]]>([:])

        func add(_ name: String, _ result: Result<Void, JobStoreError>) {
            let text =
                switch result {
                case .success: "made"
                case .failure(let error): error.detail
                }
            said.withLock { $0[name, default: []].append(text) }
        }

        subscript(name: String) -> [String] { said.withLock { $0[name] ?? [] } }
    }

    private let answers = Answers()
    private let queue = CommandQueue(patience: .seconds(2))
    private let now = ContinuousClock.now

    private func command(_ name: String, needs: WriteNeeds = WriteNeeds()) -> WriteCommand {
        WriteCommand(
            needs: needs,
            reply: { [answers] (result: Result<Void, JobStoreError>) in answers.add(name, result) }
        ) { _ in .success(()) }
    }

    private func submission(_ id: JobID) -> WriteNeeds {
        let record = JobRecord(
            id: id, name: "a", type: "value", queue: "default", priority: 5, labels: [], state: .queued,
            attemptsMax: 3, createdAt: Timestamp(milliseconds: 0), keepSucceededMilliseconds: 1,
            keepFailedMilliseconds: 1)
        return WriteNeeds(submissions: [NewJob(record: record, spec: [], idempotency: nil)])
    }

    private let run = WriteNeeds(runs: [ClaimKey(id: JobID(high: 1, low: 2), fence: 3)])

    @Test func `are answered: as perhaps made when they are under way, as not made when they wait`() throws {
        let id = JobID(high: 7, low: 9)
        queue.add(command("under way", needs: submission(id)))
        queue.add(command("of a run", needs: run))
        let taken = try #require(queue.next(limit: 9, waiting: 0))
        #expect(taken.count == 2)
        queue.add(command("waits"))
        queue.add(command("waits for a run", needs: run))
        queue.contact.ask(at: now)
        queue.lapse(at: now + .milliseconds(1_999))
        #expect(answers["under way"].isEmpty && answers["waits"].isEmpty)

        queue.lapse(at: now + .seconds(2))
        let doubt = try #require(answers["under way"].first)
        #expect(doubt.contains("may or may not have been made"))
        #expect(doubt.contains("\(id)"))
        #expect(doubt.contains("Idempotency-Key"))
        #expect(answers["waits"].map { $0.contains("Nothing was changed") } == [true])
        // A call has its own rules: whether its claim was written is found out.
        #expect(answers["of a run"].isEmpty && answers["waits for a run"].isEmpty)
        queue.add(command("later"))
        #expect(answers["later"].map { $0.contains("no answer for 2000 ms") } == [true])
        #expect(queue.pressure.waiting == 1)

        // The commit succeeds after all.
        for command in taken { try command.runWithoutUnit() }
        for command in taken { command.deliver() }
        #expect(answers["under way"].count == 1)
        #expect(answers["of a run"] == ["made"])
        #expect(taken.map(\.isAnswered) == [true, true])
    }

    @Test func `are taken again once one was made`() throws {
        queue.contact.ask(at: now)
        queue.lapse(at: now + .seconds(9))
        #expect(queue.silence != nil)
        queue.contact.rest()
        queue.resume()
        queue.lapse(at: now + .seconds(9))
        #expect(queue.silence == nil)
        queue.add(command("later"))
        #expect(queue.pressure.waiting == 1)
        #expect(answers["later"].isEmpty)
    }

    @Test func `age by what the database keeps them waiting for, which is told apart`() {
        queue.add(command("waits"))
        #expect(queue.pressure.silence == .zero)
        queue.contact.ask(at: .now)
        #expect(queue.pressure.silence > .zero)
        #expect(queue.pressure.silence <= queue.pressure.oldest)
        queue.contact.rest()
        #expect(queue.pressure.silence == .zero)
    }
}

extension WriteCommand {
    /// Runs work that uses no unit.
    fileprivate func runWithoutUnit() throws {
        let connection = try PostgresConnection(PostgresServer.freshAddress())
        try run(
            in: WorkUnit(
                connection, options: PostgresOptions(), numbers: JobNumbers(slot: 1), starts: ScanStarts(),
                tenants: WaitingTenants()))
    }
}

@Suite struct `A contact to a database` {
    @Test func `is silent when an answer is overdue, counted from the first question without one`() {
        let contact = DatabaseContact(patience: .seconds(2))
        let now = ContinuousClock.now
        #expect(!contact.isSilent(at: now + .seconds(60)))
        contact.ask(at: now)
        contact.ask(at: now + .seconds(1))
        #expect(!contact.isSilent(at: now + .milliseconds(1_999)))
        #expect(contact.isSilent(at: now + .seconds(2)))
        contact.rest()
        #expect(!contact.isSilent(at: now + .seconds(60)))
        contact.ask(at: now + .seconds(60))
        #expect(contact.silence(at: now + .seconds(61)) == .seconds(1))
    }
}

@Suite(.needsPostgres) struct `Reads while the database is silent` {
    private func reader(_ address: PostgresAddress) -> (PostgresJobReader, PostgresBoard) {
        let board = PostgresBoard(counts: JobCounts(), server: "", patience: .zero)
        return (PostgresJobReader(address, board: board), board)
    }

    @Test func `are refused at once, and not once it has answered`() throws {
        let (reader, board) = try reader(PostgresServer.freshAddress())
        let question: (ReaderSession) throws(PostgresFailure) -> Int64 = { session throws(PostgresFailure) in
            try session.connection.run("SELECT 7::int8").integer(0, 0)
        }
        board.contact.ask(at: .now)
        let refused = #expect(throws: JobStoreError.self) { try reader.read(question) }
        #expect(refused?.code == .unavailable)
        #expect(refused?.detail.contains("no answer for 0 ms") == true)
        board.contact.rest()
        #expect(try reader.read(question) == 7)
    }

    @Test func `are given up when it falls silent meanwhile`() throws {
        let contact = DatabaseContact(patience: .zero)
        var address = try PostgresServer.freshAddress()
        address.heeds = contact
        let connection = try PostgresConnection(address)
        contact.ask(at: .now)
        let late = #expect(throws: PostgresFailure.self) { try connection.run("SELECT pg_sleep(20)") }
        #expect(late?.isConnectionLost == true)
        #expect(connection.isLate)
    }

    @Test func `hardly wait for locks once one has waited in vain, and read other tables`() throws {
        let address = try PostgresServer.freshAddress()
        let other = try PostgresConnection(address)
        try other.execute("CREATE SCHEMA \(address.schema); CREATE TABLE \(address.schema).a (n int8)")
        try other.execute("BEGIN; LOCK TABLE \(address.schema).a IN ACCESS EXCLUSIVE MODE")
        let (reader, board) = reader(address)
        func limit() throws -> String {
            try reader.read { session throws(PostgresFailure) in
                try session.connection.run("SHOW lock_timeout").text(0, 0)
            }
        }
        #expect(try limit() == "1s")
        for _ in 0..<2 {
            let locked = #expect(throws: JobStoreError.self) {
                try reader.read { session throws(PostgresFailure) in
                    try session.connection.run("SELECT n FROM \(address.schema).a").count
                }
            }
            #expect(locked?.detail.contains("55P03") == true)
            #expect(try limit() == "20ms")
        }
        #expect(board.lockedTables.areKnown(at: .now))
        #expect(!board.lockedTables.areKnown(at: .now + .seconds(2)))
    }
}
