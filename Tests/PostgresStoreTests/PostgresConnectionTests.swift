import Foundation
import JobKit
import JobStore
import ScratchPostgres
import Testing

@testable import PostgresStore

@Suite(.needsPostgres) struct `A connection to PostgreSQL` {
    private func connect() throws -> PostgresConnection {
        try PostgresConnection(PostgresServer.freshAddress())
    }

    @Test func `hands every kind of value over and back`() throws {
        let connection = try connect()
        let id = JobID(high: 0x0123_4567_89AB_7DEF, low: 0x8000_0000_0000_0001)
        let rows = try connection.run(
            "SELECT $1::int8, $2::text, $3::bytea, $4::uuid, $5::int8, $6::text, $7::bytea, $8::uuid, 7::int2, true",
            [
                .integer(-5), .text("é\u{1F600}"), .bytes([0, 255, 10]), .id(id), .integer(nil), .text(nil),
                .bytes([]), .id(nil),
            ])
        #expect(rows.count == 1)
        #expect(rows.integer(0, 0) == -5)
        #expect(rows.text(0, 1) == "é\u{1F600}")
        #expect(rows.bytes(0, 2) == [0, 255, 10])
        #expect(rows.id(0, 3) == id)
        #expect((4...7).map { rows.isNull(0, $0) } == [true, true, false, true])
        #expect(rows.optionalText(0, 5) == nil)
        #expect(rows.bytes(0, 6).isEmpty)
        #expect(rows.integer(0, 8) == 7)
        #expect(rows.integer(0, 9) == 1)
    }

    @Test func `hands lists over as columns`() throws {
        let ids = [JobID(high: 1, low: 2), JobID(high: 3, low: .max)]
        let rows = try connect().run(
            "SELECT * FROM unnest($1::int8[], $2::text[], $3::bytea[], $4::uuid[])",
            [.integers([.min, nil]), .texts([nil, "b"]), .blobs([[], nil]), .ids(ids)])
        #expect(rows.count == 2)
        #expect((rows.integer(0, 0), rows.isNull(1, 0)) == (.min, true))
        #expect((rows.isNull(0, 1), rows.text(1, 1)) == (true, "b"))
        #expect((rows.isNull(0, 2), rows.isNull(1, 2)) == (false, true))
        #expect([rows.id(0, 3), rows.id(1, 3)] == ids)
        let empty = try connect().run("SELECT * FROM unnest($1::int8[])", [.integers([])])
        #expect(empty.count == 0)
    }

    @Test(arguments: [true, false]) func `runs a statement again and again`(_ isPrepared: Bool) throws {
        var address = try PostgresServer.freshAddress()
        address.preparesStatements = isPrepared
        let connection = try PostgresConnection(address)
        for number in Int64(0)..<5 {
            #expect(try connection.run("SELECT $1::int8 + 1", [.integer(number)]).integer(0, 0) == number + 1)
        }
        let count = try connection.run("SELECT count(*) FROM pg_prepared_statements").integer(0, 0)
        #expect(count == (isPrepared ? 1 : 0))
    }

    @Test(arguments: [true, false]) func `compresses long values by LZ4, behind a pooler, too`(
        _ isPrepared: Bool
    ) throws {
        var address = try PostgresServer.freshAddress()
        address.preparesStatements = isPrepared
        let connection = try PostgresConnection(address)
        let setting = "pg_settings WHERE name = 'default_toast_compression'"
        let canLZ4 = try connection.run("SELECT 1 FROM \(setting) AND 'lz4' = ANY(enumvals)").count > 0
        try connection.favourIndexes()
        let method = try connection.transaction { (open) throws(PostgresFailure) in
            try open.run("SELECT setting FROM \(setting)").text(0, 0)
        }
        #expect(method == (canLZ4 ? "lz4" : "pglz"))
    }

    @Test func `says what is wrong, and goes on`() throws {
        let connection = try connect()
        let wrong = #expect(throws: PostgresFailure.self) { try connection.run("SELECT nothing") }
        #expect(wrong?.state == "42703")
        #expect(wrong?.isConnectionLost == false)
        #expect(try connection.run("SELECT 1").integer(0, 0) == 1)
        try connection.execute(
            "CREATE TEMP TABLE one (n int8 CONSTRAINT one_key PRIMARY KEY); INSERT INTO one VALUES (1)")
        let twice = #expect(throws: PostgresFailure.self) {
            try connection.run("INSERT INTO one VALUES ($1)", [.integer(1)])
        }
        #expect(twice?.isConstraint == true)
        #expect(twice?.constraint == "one_key")
    }

    @Test func `gives up when there is no answer in time`() throws {
        var address = try PostgresServer.freshAddress()
        address.statementTimeout = .milliseconds(100)
        let connection = try PostgresConnection(address)
        let start = ContinuousClock.now
        let late = #expect(throws: PostgresFailure.self) { try connection.run("SELECT pg_sleep(20)") }
        #expect(late?.isConnectionLost == true)
        // Statements would get the answers of earlier ones from now on.
        #expect(connection.isBroken)
        #expect(ContinuousClock.now - start < .seconds(10))
    }

    @Test func `knows that it was ended by the server`() throws {
        let connection = try connect()
        let number = try connection.run("SELECT pg_backend_pid()").integer(0, 0)
        try connect().run("SELECT pg_terminate_backend($1::int8::int4)", [.integer(number)])
        let ended = #expect(throws: PostgresFailure.self) { try connection.run("SELECT 1") }
        #expect(ended?.isConnectionLost == true)
        #expect(connection.isBroken)
    }

    @Test func `that cannot be made says why, without the password`() throws {
        let failure = #expect(throws: PostgresFailure.self) {
            _ = try PostgresConnection(
                PostgresAddress("host=/nowhere user=jobs password=hunter2 dbname=postgres"))
        }
        let text = try #require(failure).storeError(doing: "Opening the store").detail
        #expect(text.contains("/nowhere"))
        #expect(!text.contains("hunter2"))
    }

    @Test(arguments: ["", "Jobs", "a-b", "1a", "a\"b", "pg_jobs", String(repeating: "a", count: 64)])
    func `takes no schema whose name needs quotes`(_ name: String) {
        #expect(throws: PostgresFailure.self) { try PostgresAddress("", schema: name) }
    }
}

@Suite(.needsPostgres) struct `A transaction in PostgreSQL` {
    private func table(_ address: PostgresAddress) throws -> PostgresConnection {
        let connection = try PostgresConnection(address)
        try connection.execute(
            """
            CREATE SCHEMA \(address.schema);
            CREATE TABLE \(address.schema).purse (name text PRIMARY KEY, coins int8 NOT NULL);
            INSERT INTO \(address.schema).purse VALUES ('a', 0), ('b', 0);
            """)
        return connection
    }

    @Test func `changes all or nothing`() throws {
        let address = try PostgresServer.freshAddress()
        let connection = try table(address)
        let purse = "\(address.schema).purse"
        #expect(throws: PostgresFailure.self) {
            try connection.transaction { (connection) throws(PostgresFailure) in
                try connection.run("UPDATE \(purse) SET coins = 9")
                try connection.run("INSERT INTO \(purse) VALUES ('a', 1)")
            }
        }
        #expect(!connection.isInTransaction)
        #expect(try connection.run("SELECT sum(coins)::int8 FROM \(purse)").integer(0, 0) == 0)
        let changed = try connection.transaction { (connection) throws(PostgresFailure) in
            try connection.run("UPDATE \(purse) SET coins = 1").changed
        }
        #expect(changed == 2)
        #expect(try connection.run("SELECT sum(coins)::int8 FROM \(purse)").integer(0, 0) == 2)
    }

    @Test func `is made after one that failed as the connection forgot its statements`() throws {
        let address = try PostgresServer.freshAddress()
        let connection = try table(address)
        let purse = "\(address.schema).purse"
        func add(_ coins: Int64) throws(PostgresFailure) {
            _ = try connection.transaction { (connection) throws(PostgresFailure) in
                try connection.run("UPDATE \(purse) SET coins = coins + $1", [.integer(coins)])
            }
        }
        try add(1)
        let failure = #expect(throws: PostgresFailure.self) {
            try connection.transaction { (connection) throws(PostgresFailure) in
                try connection.later("SELECT 1 / $1::int8", [.integer(0)])
                for number in 0..<600 { try connection.later("SELECT \(number) + $1::int8", [.integer(0)]) }
                try connection.run("SELECT 1")
            }
        }
        #expect(failure?.state == "22012")
        try add(2)
        #expect(try connection.run("SELECT sum(coins)::int8 FROM \(purse)").integer(0, 0) == 6)
    }

    @Test(arguments: ["40001", "40P01", "55P03"])
    func `is run again after a conflict, from its beginning`(_ state: String) throws {
        let address = try PostgresServer.freshAddress()
        let connection = try table(address)
        let conflict = "DO $$ BEGIN RAISE EXCEPTION 'a conflict' USING ERRCODE = '\(state)'; END $$"
        var tries = 0
        try connection.transaction { (connection) throws(PostgresFailure) in
            tries += 1
            try connection.run("UPDATE \(address.schema).purse SET coins = coins + 1")
            if tries < 3 { try connection.run(conflict) }
        }
        #expect(tries == 3)
        let sum = try connection.run("SELECT sum(coins)::int8 FROM \(address.schema).purse")
        #expect(sum.integer(0, 0) == 2)
        // A transaction that always fails is not retried for ever.
        let failure = #expect(throws: PostgresFailure.self) {
            try connection.transaction { (connection) throws(PostgresFailure) in try connection.run(conflict)
            }
        }
        #expect(failure?.state == state)
    }

    @Test func `that meets others is run again until it succeeds`() async throws {
        let address = try PostgresServer.freshAddress()
        let purse = "\(address.schema).purse"
        _ = try table(address)
        // Each takes its coins in another order, so that they lock each other out.
        let tries = try await withThrowingTaskGroup(of: Int.self) { group in
            for worker in 0..<4 {
                group.addTask {
                    let connection = try PostgresConnection(address)
                    try connection.run("SET deadlock_timeout = '20ms'")
                    var tries = 0
                    for _ in 0..<10 {
                        try connection.transaction { (connection) throws(PostgresFailure) in
                            tries += 1
                            for name in worker % 2 == 0 ? ["a", "b"] : ["b", "a"] {
                                try connection.run(
                                    "UPDATE \(purse) SET coins = coins + 1 WHERE name = $1", [.text(name)])
                                try connection.run("SELECT pg_sleep(0.002)")
                            }
                        }
                    }
                    return tries
                }
            }
            return try await group.reduce(0, +)
        }
        #expect(tries > 40)
        let sums = try PostgresConnection(address).run("SELECT coins FROM \(purse) ORDER BY name")
        #expect((sums.integer(0, 0), sums.integer(1, 0)) == (40, 40))
    }

    @Test func `is in doubt when the connection breaks while it is made durable, and only then`() throws {
        let address = try PostgresServer.freshAddress()
        let connection = try table(address)
        // A check at the end of the transaction that takes long: the connection is given up in COMMIT.
        try connection.execute(
            """
            CREATE FUNCTION \(address.schema).slow() RETURNS trigger LANGUAGE plpgsql AS
              $$ BEGIN PERFORM pg_sleep(1); RETURN NULL; END $$;
            CREATE CONSTRAINT TRIGGER slow AFTER INSERT ON \(address.schema).purse
              DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION \(address.schema).slow();
            """)
        var hasty = address
        hasty.statementTimeout = .milliseconds(200)
        let doubtful = #expect(throws: PostgresFailure.self) {
            try PostgresConnection(hasty).transaction { (connection) throws(PostgresFailure) in
                try connection.run("INSERT INTO \(address.schema).purse VALUES ('c', 1)")
            }
        }
        #expect(doubtful?.isInDoubt == true)
        let lost = #expect(throws: PostgresFailure.self) {
            try PostgresConnection(hasty).transaction { (connection) throws(PostgresFailure) in
                try connection.run("SELECT pg_sleep(1)")
            }
        }
        #expect(lost?.isInDoubt == false)
    }
}
