import JobKit
import JobStore
@testable import PostgresStore
import ScratchPostgres
import Testing

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `The statistics of several servers` {
    private func end(on store: any JobStore, at time: Timestamp) async throws {
        try await store.add(.sample())
        try await store.move(try await store.claimOne(), to: .succeeded, at: time)
    }

    private func counted(_ store: any JobStore) throws -> Int64 {
        try store.makeReader().stats(
            by: .state, .day, of: nil, from: .noon(-86_400), before: .noon(86_400)
        ).reduce(0) { $0 + $1.bin.groups.values.reduce(0) { $0 + $1.count } }
    }

    @Test func `count the ends of all, which are folded no earlier`() async throws {
        try await Servers.run { servers in
            try await end(on: servers[0], at: .noon(1))
            try await end(on: servers[1], at: .noon(2))
            try servers.foldReceipts()
            let rollUp = StatsRollUp(now: .noon(60), limit: 100)
            #expect(try await servers[1].perform(rollUp).count == 2)
            try await end(on: servers[0], at: .noon(3))
            try servers.foldReceipts()
            #expect(try await servers[0].perform(rollUp).count == 1)
            #expect(try await servers[1].perform(rollUp).count == 0)
            #expect(try counted(servers[0]) == 3)
        }
    }

    @Test func `are counted by one server at a time, and the other does not wait`() async throws {
        try await Servers.run { servers in
            try await end(on: servers[0], at: .noon(1))
            let connection = try servers.connection()
            try connection.run("BEGIN")
            try connection.run("SELECT 1 FROM \(servers.schema).counted WHERE server = '' FOR UPDATE")
            let rollUp = StatsRollUp(now: .noon(60), limit: 100)
            #expect(try await servers[1].perform(rollUp) == .init(count: 0, isMore: false))
            try connection.run("ROLLBACK")
            #expect(try await servers[1].perform(rollUp).count == 1)
        }
    }
}
