import JobStore
import ScratchPostgres
import Testing

@testable import PostgresStore

@Suite(.needsPostgres) struct `The schema in PostgreSQL` {
    @Test func `is made by several servers that start at once`() async throws {
        let address = try PostgresServer.freshAddress()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<8 {
                group.addTask { try PostgresMigration.run(on: PostgresConnection(address)) }
            }
            try await group.waitForAll()
        }
        let connection = try PostgresConnection(address)
        #expect(try PostgresMigration.version(on: connection) == PostgresMigration.newest)
        try PostgresMigration.run(on: connection)
    }

    @Test func `is left alone when a newer program made it`() throws {
        let address = try PostgresServer.freshAddress()
        let connection = try PostgresConnection(address)
        try PostgresMigration.run(on: connection)
        try connection.run("UPDATE \(address.schema).meta SET format = 1000")
        let failure = #expect(throws: PostgresFailure.self) { try PostgresMigration.run(on: connection) }
        #expect(try #require(failure).storeError(doing: "Opening").detail.contains("version 1000"))
        #expect(!connection.isInTransaction)
    }

    @Test func `is left alone when a version before the first release made it`() throws {
        let address = try PostgresServer.freshAddress()
        let connection = try PostgresConnection(address)
        let schema = address.schema
        try connection.execute(
            """
            CREATE SCHEMA \(schema);
            CREATE TABLE \(schema).meta (version bigint NOT NULL);
            INSERT INTO \(schema).meta VALUES (0);
            """)
        for migrates in [true, false] {
            let failure = #expect(throws: PostgresFailure.self) {
                if migrates {
                    try PostgresMigration.run(on: connection)
                } else {
                    try PostgresMigration.check(on: connection)
                }
            }
            let detail = try #require(failure).storeError(doing: "Opening").detail
            #expect(detail.contains("before the first release") && detail.contains("DROP SCHEMA \(schema)"))
        }
        #expect(!connection.isInTransaction)
        let tables = "SELECT count(*) FROM pg_tables WHERE schemaname = $1"
        #expect(try connection.run(tables, [.text(schema)]).integer(0, 0) == 1)
    }

    @Test func `is changed by the steps that it lacks, each as a whole`() throws {
        let address = try PostgresServer.freshAddress()
        let connection = try PostgresConnection(address)
        try PostgresMigration.run(on: connection)
        let newest = PostgresMigration.newest
        var steps = PostgresMigration.all
        steps.append(
            PostgresMigration(number: newest + 1) { "ALTER TABLE \($0).job ADD COLUMN colour bytea;" })
        steps.append(
            PostgresMigration(number: newest + 2) {
                "CREATE TABLE \($0).more (number bigint); CREATE TABLE \($0).job (number bigint);"
            })
        #expect(throws: PostgresFailure.self) { try PostgresMigration.run(steps, on: connection) }
        #expect(try PostgresMigration.version(on: connection) == newest + 1)
        #expect(try connection.run("SELECT count(colour) FROM \(address.schema).job").integer(0, 0) == 0)
        let table = "SELECT to_regclass($1)::text"
        #expect(try connection.run(table, [.text("\(address.schema).more")]).isNull(0, 0))
        steps[steps.count - 1].script = { "CREATE TABLE \($0).more (number bigint);" }
        try PostgresMigration.run(steps, on: connection)
        #expect(try PostgresMigration.version(on: connection) == newest + 2)
        #expect(try !connection.run(table, [.text("\(address.schema).more")]).isNull(0, 0))
    }

    @Test func `may have been made for a user who may not make schemas`() throws {
        let address = try PostgresServer.freshAddress()
        let owner = try PostgresConnection(address)
        try PostgresMigration.run(on: owner)
        let user = "u\(address.schema)"
        try owner.execute(
            """
            CREATE ROLE \(user) LOGIN;
            GRANT USAGE ON SCHEMA \(address.schema) TO \(user);
            GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA \(address.schema) TO \(user);
            """)
        let text = address.connection.replacing("user=jobs", with: "user=\(user)")
        try PostgresMigration.run(on: PostgresConnection(PostgresAddress(text, schema: address.schema)))
    }
}
