import JobStore
import Testing

@testable import SQLiteStore

@Suite struct `The schema of a store in a file` {
    @Test func `is changed by the steps that it lacks, each as a whole`() async throws {
        try await withDirectory { directory in
            _ = try await withSQLite(directory) { try await $0.add(.sample()) }
            let connection = try SQLiteConnection(
                path: directory + "/jobs.db", mode: .readWrite, fileAccess: "unix-excl")
            let newest = SQLiteMigration.newest
            var steps = SQLiteMigration.all
            steps.append(SQLiteMigration(number: newest + 1, sql: "ALTER TABLE job ADD COLUMN colour TEXT"))
            let table = "CREATE TABLE more (number INTEGER) STRICT;"
            steps.append(SQLiteMigration(number: newest + 2, sql: table + "CREATE nonsense"))
            let before = try SQLiteMigration.version(of: connection)
            #expect(throws: SQLiteFailure.self) {
                try SQLiteMigration.run(steps, from: before, on: connection)
            }
            #expect(try connection.number("PRAGMA user_version") == newest + 1)
            #expect(try connection.number("SELECT count(*) FROM job WHERE colour IS NULL") == 1)
            let tables = "SELECT count(*) FROM sqlite_schema WHERE name = 'more'"
            #expect(try connection.number(tables) == 0)
            steps[steps.count - 1].sql = table
            try SQLiteMigration.run(steps, from: newest + 1, on: connection)
            #expect(try connection.number("PRAGMA user_version") == newest + 2)
            #expect(try connection.number(tables) == 1)
        }
    }
}
