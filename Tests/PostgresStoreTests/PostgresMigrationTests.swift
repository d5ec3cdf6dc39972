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
        let meta = try connection.run("SELECT version FROM \(address.schema).meta")
        #expect(meta.count == 1)
        #expect(meta.integer(0, 0) == PostgresMigration.newest)
        try PostgresMigration.run(on: connection)
    }

    @Test func `is left alone when a newer program made it`() throws {
        let address = try PostgresServer.freshAddress()
        let connection = try PostgresConnection(address)
        try PostgresMigration.run(on: connection)
        try connection.run("UPDATE \(address.schema).meta SET version = 1000")
        let failure = #expect(throws: PostgresFailure.self) { try PostgresMigration.run(on: connection) }
        #expect(try #require(failure).storeError(doing: "Opening").detail.contains("version 1000"))
        #expect(!connection.isInTransaction)
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
