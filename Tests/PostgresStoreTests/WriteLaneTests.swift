import JobKit
import JobStore
import ScratchPostgres
import Testing

@testable import PostgresStore

@Suite(.needsPostgres) struct `The lane of a server's writes` {
    /// A schema with a table in it, and the lane of a server that has entered.
    private func lane(
        statements: Duration = .seconds(30), on server: PostgresServer? = nil
    ) throws -> (lane: WriteLane, connection: PostgresConnection, table: String) {
        let address =
            try server.map { try PostgresAddress($0.address, schema: PostgresServer.freshSchema()) }
            ?? PostgresServer.freshAddress()
        let connection = try PostgresConnection(address)
        // What is prepared here waits for no standby.
        try connection.execute("SET synchronous_commit = local")
        try PostgresMigration.run(on: connection)
        try connection.execute("CREATE TABLE \(address.schema).item (n int8)")
        // Named after the schema, so that a test finds the connection of its own lane.
        var hasty = try PostgresAddress(
            "\(address.connection) application_name=\(address.schema)", schema: address.schema)
        hasty.statementTimeout = statements
        let lane = WriteLane(hasty, for: OwnerID("first"))
        try connection.run("INSERT INTO \(address.schema).server VALUES ('first', 1)")
        return (lane, connection, "\(address.schema).item")
    }

    /// Has the end of each transaction that writes to `table` take a while.
    private func slowDown(_ table: String, _ connection: PostgresConnection) throws {
        let function = "\(connection.address.schema).slow()"
        try connection.execute(
            """
            CREATE FUNCTION \(function) RETURNS trigger LANGUAGE plpgsql AS
              $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON \(table)
              DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION \(function);
            """)
    }

    private func add(_ number: Int64, to table: String, by lane: WriteLane) throws(PostgresFailure) -> Int64 {
        try lane.commit { (connection) throws(PostgresFailure) in
            try connection.run("INSERT INTO \(table) VALUES ($1)", [.integer(number)])
            return number
        }
    }

    private func count(_ table: String, _ connection: PostgresConnection) throws -> Int64 {
        try connection.run("SELECT count(*) FROM \(table)").integer(0, 0)
    }

    @Test func `goes on after its connection was ended`() throws {
        let (lane, connection, table) = try lane()
        #expect(try add(1, to: table, by: lane) == 1)
        try connection.run(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
            [.text(connection.address.schema)])
        let lost = #expect(throws: PostgresFailure.self) { try add(2, to: table, by: lane) }
        #expect(lost?.isConnectionLost == true)
        #expect(lost?.isInDoubt == false)
        #expect(try add(3, to: table, by: lane) == 3)
        #expect(try count(table, connection) == 2)
    }

    @Test func `finds out that a change was made although its answer was lost`() throws {
        let (lane, connection, table) = try lane(statements: .milliseconds(200))
        try slowDown(table, connection)
        // The lane gives its connection up while the database is busy with COMMIT.
        #expect(try add(1, to: table, by: lane) == 1)
        #expect(try count(table, connection) == 1)
    }

    @Test func `finds out that a change was not made`() async throws {
        let (lane, connection, table) = try lane(statements: .milliseconds(200))
        try slowDown(table, connection)
        let address = connection.address
        let killer = Task {
            let connection = try PostgresConnection(address)
            while true {
                let ended = try connection.run(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity \
                    WHERE query = 'COMMIT' AND state = 'active' AND application_name = $1
                    """, [.text(address.schema)])
                if ended.count > 0 { return }
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        let undone = #expect(throws: PostgresFailure.self) { try add(1, to: table, by: lane) }
        try await killer.value
        #expect(undone?.isInDoubt == false)
        #expect(undone?.isConnectionLost == true)
        #expect(try count(table, connection) == 0)
    }

    @Test func `acknowledges nothing that the standby may not have`() async throws {
        let server = try PostgresServer("synchronous_standby_names = absent")
        let (lane, connection, table) = try lane(on: server)
        let address = connection.address
        let watcher = Task {
            let connection = try PostgresConnection(address)
            // A person cancels the wait, and the standby comes later.
            let cancel = """
                SELECT count(pg_cancel_backend(pid)) FROM pg_stat_activity \
                WHERE application_name = $1 AND wait_event = 'SyncRep'
                """
            for _ in 0..<2 {
                while try connection.run(cancel, [.text(address.schema)]).integer(0, 0) == 0 {
                    try await Task.sleep(for: .milliseconds(10))
                }
            }
            // The second cancellation may have met the wait that the first one was about to end.
            let count = "SELECT count(*) FROM \(table)"
            for _ in 0..<1_000 where try connection.run(count).integer(0, 0) == 0 {
                try await Task.sleep(for: .milliseconds(10))
            }
            #expect(try connection.run(count).integer(0, 0) == 1)
            try connection.run("ALTER SYSTEM SET synchronous_standby_names = ''")
            return try connection.run("SELECT pg_reload_conf()").count
        }
        #expect(try add(1, to: table, by: lane) == 1)
        #expect(try await watcher.value == 1)
    }

    @Test func `holds nothing up when its server stops in the middle of a group`() throws {
        let (lane, connection, table) = try lane()
        #expect(try add(1, to: table, by: lane) == 1)
        let late = #expect(throws: PostgresFailure.self) {
            try lane.commit { (lane) throws(PostgresFailure) in
                try lane.run("UPDATE \(table) SET n = 2")
                // Others wait for the row until the database ends the transaction.
                do { try connection.run("UPDATE \(table) SET n = 3") } catch {
                    Issue.record(error)
                }
                try lane.run("SELECT 1")
            }
        }
        #expect(late?.isConnectionLost == true)
        #expect(late?.isInDoubt == false)
        #expect(try add(4, to: table, by: lane) == 4)
        #expect(try connection.run("SELECT sum(n)::int8 FROM \(table)").integer(0, 0) == 7)
    }

    @Test func `is closed for a server that was declared dead`() throws {
        let (lane, connection, table) = try lane()
        #expect(try add(1, to: table, by: lane) == 1)
        try connection.run("DELETE FROM \(connection.address.schema).server")
        let fenced = #expect(throws: PostgresFailure.self) { try add(2, to: table, by: lane) }
        #expect(fenced?.isFenced == true)
        // Also when a group waits for no answer before its COMMIT.
        let quick = #expect(throws: PostgresFailure.self) {
            try lane.commit { (connection) throws(PostgresFailure) in
                try connection.later("INSERT INTO \(table) VALUES ($1)", [.integer(4)])
            }
        }
        #expect(quick?.isFenced == true)
        #expect(try count(table, connection) == 1)
        // Nor for one that never entered.
        let stranger = WriteLane(connection.address, for: OwnerID("stranger"))
        #expect(throws: PostgresFailure.self) { try add(3, to: table, by: stranger) }
    }

    @Test func `delays the declaration of its server as dead until its group is durable`() async throws {
        let (lane, connection, table) = try lane()
        try slowDown(table, connection)
        let address = connection.address
        let dead = Task {
            let connection = try PostgresConnection(address)
            let committing = """
                SELECT 1 FROM pg_stat_activity \
                WHERE query = 'COMMIT' AND state = 'active' AND application_name = $1
                """
            while try connection.run(committing, [.text(address.schema)]).count == 0 {
                try await Task.sleep(for: .milliseconds(5))
            }
            // A heartbeat passes.
            try connection.run("SET lock_timeout = '200ms'")
            try connection.run("UPDATE \(address.schema).server SET started_at = started_at + 1")
            try connection.run("SET lock_timeout = 0")
            return try connection.transaction { (connection) throws(PostgresFailure) in
                try connection.run("DELETE FROM \(address.schema).server")
                return try connection.run("SELECT count(*) FROM \(table)").integer(0, 0)
            }
        }
        #expect(try add(1, to: table, by: lane) == 1)
        #expect(try await dead.value == 1)
    }
}
