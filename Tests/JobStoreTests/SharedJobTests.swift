import JobJournal
import JobKit
import JobStore
import ScratchPostgres
import Synchronization
import Testing

@testable import PostgresStore

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `Servers that change one job` {
    @Test(arguments: 0...2)
    func `number its entries in one row, also when a second request adds no more than one`(
        _ count: Int
    ) async throws {
        try await Servers.run { servers in
            let id = try await servers[0].add(.sample()).id
            let claim = try #require(try await servers[0].claim(owner: "a").first)
            for store in servers.stores {
                guard case .cancelling = try await store.cancel(id) else {
                    throw Unexpected("not cancelling")
                }
            }
            let events = (0..<count).map { JournalEntry.Event.took(message: $0 + 1) }
            if count > 0 {
                try await servers[0].update(
                    RunUpdate(
                        claim: claim.key,
                        journal: events.map { JournalEntry(at: .noon, path: [], event: $0) }))
            }
            let end = JournalEntry.Event.finished(.cancelledByAda)
            try await servers[0].update(
                RunUpdate(
                    claim: claim.key, journal: [JournalEntry(at: .noon, path: [], event: end)],
                    standing: .init(state: .cancelled, attempt: 1, finishedAt: .noon)))
            let reader = try servers[1].makeReader()
            #expect(try reader.job(id)?.state == .cancelled)
            let found = try reader.journal(id, after: 0, limit: 20)
            #expect(found.map(\.sequence) == Array(1...Int64(count + 3)))
            let request = JournalEntry.Event.cancelRequested(by: "ada", reason: nil)
            #expect(found.map(\.entry.event) == [request, request] + events + [end])
        }
    }

    @Test func `write no copy that another one has made out of date and told of`() async throws {
        try await Servers.run { servers in
            for _ in 0..<3 { try await servers[0].add(.sample()) }
            let claims = try await servers[0].claim(owner: "a")
            #expect(claims.count == 3)
            let told = Mutex(0)
            servers[0].shared?.observeRequests { requests in told.withLock { $0 += requests.count } }
            for (place, claim) in claims.enumerated() {
                _ = try await servers[1].cancel(claim.record.id)
                #expect(try await eventually { told.withLock { $0 } > place })
                let took = JournalEntry(at: .noon, path: [], event: .took(message: 1))
                try await servers[0].update(RunUpdate(claim: claim.key, journal: [took]))
            }
            // A commit that fails, which PostgreSQL logs, has a number, too.
            let gaps = try servers.connection().run(
                """
                SELECT max(number) - min(number) + 1 - count(*) FROM \(servers.schema).landed GROUP BY server
                """)
            #expect((0..<gaps.count).map { gaps.integer($0, 0) } == [0, 0])
        }
    }
}

@Suite(.enabled(if: PostgresServer.isInstalled)) struct `Servers whose clocks differ` {
    @Test func `replace the job that has a unique key, not the other way round`() async throws {
        try await Servers.run { servers in
            let first = try await servers[0].add(.unique("k", .replace, createdAt: .noon(300))).id
            guard
                case .replacing(let second, _) = try await servers[1].submit(
                    .unique("k", .replace, createdAt: .noon))
            else { throw Unexpected("not replaced") }
            let reader = try servers[0].makeReader()
            #expect(try reader.job(first)?.state == .cancelled)
            #expect(try reader.job(second.id)?.state == .queued)
            let claim = try #require(try await servers[1].claim(owner: "b", now: .noon(300)).first)
            #expect(claim.record.id == second.id)
            // The one that runs is asked to stop, and the new one waits for its end.
            guard
                case .replacing(let third, let stopping) = try await servers[0].submit(
                    .unique("k", .replace, createdAt: .noon(-300)))
            else { throw Unexpected("not replaced") }
            #expect(stopping.map(\.id) == [second.id])
            #expect(try reader.job(third.id)?.state == .pending)
            #expect(try await servers[0].claim(owner: "a", now: .noon(300)).isEmpty)
            try await servers[1].move(claim, to: .cancelled)
            #expect(try await servers[0].claim(owner: "a", now: .noon(300)).map(\.record.id) == [third.id])
        }
    }

    @Test func `let jobs have a unique key in the order in which they were stored`() async throws {
        try await Servers.run { servers in
            var ids: [JobID] = []
            for place in 0..<4 {
                let time = Timestamp.noon(place % 2 == 0 ? 300 : 0)
                ids.append(try await servers[place % 2].add(.unique("k", .wait, createdAt: time)).id)
            }
            let reader = try servers[0].makeReader()
            let lines = try ids.map { try reader.uniqueLine(before: $0) }
            #expect(lines.map(\.?.ahead) == [nil, 1, 2, 3])
            guard case .joined(let last) = try await servers[1].submit(.unique("k", .join, createdAt: .noon))
            else { throw Unexpected("not joined") }
            #expect(last.id == ids[3])
            // One that leaves the line passes no key on.
            try await servers[1].cancel(ids[1])
            for id in [ids[0], ids[2], ids[3]] {
                let claims = try await servers[1].claim(owner: "b", now: .noon(300))
                #expect(claims.map(\.record.id) == [id])
                try await servers[1].move(try #require(claims.first), to: .succeeded)
            }
        }
    }
}

extension NewJob {
    fileprivate static func unique(
        _ key: String, _ onConflict: UniqueConflict, createdAt: Timestamp
    ) -> NewJob {
        var job = unique(key, onConflict)
        job.record.createdAt = createdAt
        return job
    }
}
