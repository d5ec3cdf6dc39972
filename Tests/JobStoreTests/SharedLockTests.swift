import Foundation
import JobJournal
import JobKit
import JobStore
import ScratchPostgres
import Testing

@testable import PostgresStore

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `The log of the database of several servers` {
    /// Has a connection log its errors, and find a deadlock soon.
    private static let settings = "options='-c log_min_messages=error -c deadlock_timeout=50ms'"
    private static let rounds = 12

    @Test func `has no error when servers write about the same things in opposite orders`() async throws {
        try await Servers.run(3, settings: Self.settings) { servers in
            var (claims, shared): ([Claim], [JobID]) = ([], [])
            for (place, store) in servers.stores.enumerated() {
                for _ in 0..<4 { try await store.add(.told()) }
                claims += try await store.claim(limit: 4, owner: OwnerID("server \(place)"))
                for _ in 0..<4 { shared.append(try await store.add(.told(dueAt: .noon(999))).id) }
            }
            #expect(claims.count == 12)
            let jobs = claims.map(\.record.id)
            for round in 0..<Self.rounds {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (place, store) in servers.stores.enumerated() {
                        let own = claims[place * 4..<place * 4 + 4]
                        group.addTask { try await Self.write(store, own, jobs, place, round) }
                    }
                    try await group.waitForAll()
                }
            }
            // All end the same jobs, and store the callbacks of the same ends.
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (place, store) in servers.stores.enumerated() {
                    let ids = place == 1 ? shared.reversed() : shared
                    for id in ids { group.addTask { _ = try await store.cancel(id) } }
                    for claim in claims[place * 4..<place * 4 + 4] {
                        group.addTask { _ = try await store.move(claim, to: .succeeded) }
                    }
                }
                try await group.waitForAll()
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                let ends = try servers[0].makeReader().endsToTell(limit: 100)
                for (place, store) in servers.stores.enumerated() {
                    for end in place == 1 ? ends.reversed() : ends {
                        group.addTask { _ = try await store.tell([JobCallbacks(of: end, jobs: [.sample()])]) }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try servers[0].makeReader().endsToTell(limit: 100).isEmpty)
            #expect(try Self.errors(servers.connection()) == [])
        }
    }

    @Test func `has no error when servers release and leave the same exclusive keys in opposite orders`()
        async throws
    {
        try await Servers.run(2, settings: Self.settings) { servers in
            let keys = (0..<6).map { "key \($0)" }
            var claims: [[Claim]] = []
            for (place, store) in servers.stores.enumerated() {
                for _ in keys { try await store.add(.sample()) }
                claims.append(try await store.claim(limit: keys.count, owner: OwnerID("server \(place)")))
            }
            for round in 0..<Self.rounds {
                for (place, store) in servers.stores.enumerated() {
                    let shared = try #require(store.shared)
                    for (key, claim) in zip(place == 0 ? keys : keys.reversed(), claims[place]) {
                        let request = KeyRequest(
                            claim: claim.key, path: ["\(round)"], keys: [key], waits: true, at: .noon)
                        #expect(try await shared.perform(request) == (place == 0))
                    }
                }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for (place, store) in servers.stores.enumerated() {
                        let shared = try #require(store.shared)
                        for claim in claims[place] {
                            group.addTask {
                                let release = KeyRelease(["\(round)"], of: claim.key, at: .noon)
                                try await shared.perform(release)
                            }
                        }
                    }
                    try await group.waitForAll()
                }
                #expect(try servers[0].makeReader().holds().isEmpty)
            }
            #expect(try Self.errors(servers.connection()) == [])
        }
    }

    /// Updates runs, whose copies a server keeps, and posts to the jobs of all servers.
    private static func write(
        _ store: any JobStore, _ own: ArraySlice<Claim>, _ jobs: [JobID], _ place: Int, _ round: Int
    ) async throws {
        let took = JournalEntry(at: .noon, path: [], event: .took(message: round + 1))
        let post = JournalEntry(at: .noon, path: [], event: .retried(by: "ada"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for claim in own {
                group.addTask { _ = try await store.update(RunUpdate(claim: claim.key, journal: [took])) }
            }
            for id in (place + round) % 2 == 0 ? jobs : jobs.reversed() {
                group.addTask { _ = try await store.post(JobPost(id: id, journal: post)) }
            }
            try await group.waitForAll()
        }
    }

    /// The lines of the database's log that tell of an error. The other tests log none.
    private static func errors(_ connection: PostgresConnection) throws -> [String] {
        let log = try connection.run(
            "SELECT pg_read_file(current_setting('data_directory') || '/../postgres.log')"
        ).text(0, 0)
        return log.split(separator: "\n").map(String.init).filter { $0.contains(" ERROR: ") }
    }
}
