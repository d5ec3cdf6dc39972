import JobJournal
import JobKit
import JobStore
import ScratchPostgres
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
}
