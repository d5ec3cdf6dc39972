import JobKit
import JobStore
import ScratchPostgres
import Testing

@testable import PostgresStore

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `A server that starts` {
    @Test func `takes its time for the first look for work, so that its writes need none`() async throws {
        try await Servers.run(1) { servers in
            let server = try #require(PostgresServer.shared)
            let schema = servers.schema
            var options = PostgresOptions()
            options.statementTimeout = .milliseconds(500)
            // A look from the beginning takes longer than a write may.
            let other = try servers.connection()
            try other.run("BEGIN")
            try other.run("LOCK TABLE \(schema).ended IN ACCESS EXCLUSIVE MODE")
            let starting = Task { [options] in
                let store = try PostgresDatabase.open(server.address, schema: schema, options: options)
                try await store.add(.sample())
                return store
            }
            try await Task.sleep(for: .milliseconds(1_500))
            try other.run("COMMIT")
            let store = try await starting.value
            #expect(store.condition == .sound)
            await store.close()
        }
    }

    @Test func `finds the first work of each kind`() async throws {
        try await Servers.run(1) { servers in
            try await servers[0].add(.sample(dueAt: .noon(7)))
            try await servers[0].add(.sample(key: "k", keyUntil: .noon(60)))
            try await servers[0].add(.sample(expiresAt: .noon(50)))
            let firsts = try FirstsScan(servers.connection().address).firsts()
            #expect(firsts[.ready] == .noon)
            #expect(firsts[.due] == .noon(7))
            #expect(firsts[.expiry] == .noon(50))
            #expect(firsts[.purge] == nil)
            #expect(firsts[.keyExpiry] == .noon(60))
        }
    }
}
