import JobJournal
import JobKit
import JobStore
import Testing

@Suite struct `The removal of journal entries` {
    private func entries(_ range: ClosedRange<Int>) -> [JournalEntry] {
        range.map { JournalEntry(at: .noon, path: ["m", "\($0)"], event: .started) }
    }

    private func names(_ entries: [JournalEntry]) -> [String] { entries.map { $0.path.last ?? "" } }

    @Test(arguments: Engine.allCases) func `leaves the others with their numbers, for views and for runs`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            let id = claim.record.id
            for range in [1...4, 5...5, 6...10, 11...12] {
                try await store.update(RunUpdate(claim: claim.key, journal: entries(range)))
            }
            try await store.perform(JournalRemoval([2...3, 5...6, 8...8], by: claim.key))
            let reader = try store.makeReader()
            let rest: [Int64] = [1, 4, 7, 9, 10, 11, 12]
            #expect(try reader.journal(id, after: 0, limit: 100).map(\.sequence) == rest)
            #expect(try reader.journal(id, after: 4, limit: 2).map(\.sequence) == [7, 9])
            // However large the limit, reading ends with the entry that reaches the bytes.
            #expect(try reader.journal(id, after: 1, limit: 100, bytes: 1).map(\.sequence) == [4])
            #expect(try reader.journal(id, after: 1, limit: 100, bytes: 1 << 20).count == 6)
            #expect(try reader.journal(id, at: [3, 4, 5, 9]).map(\.sequence) == [4, 9])
            let index = try reader.index(id, from: JournalIndex())
            #expect(index[OperationPlace(["m", "7"])].entries == [7])
            #expect(index[OperationPlace(["m", "8"])].entries.isEmpty)
            // Nothing that is gone is removed again, and new entries go on behind the last.
            try await store.perform(JournalRemoval([1...8], by: claim.key))
            try await store.update(RunUpdate(claim: claim.key, journal: entries(13...14)))
            #expect(try reader.journal(id, after: 0, limit: 100).map(\.sequence) == [9, 10, 11, 12, 13, 14])
            try await store.move(claim, to: .queued)
            let next = try await store.claimOne()
            #expect(names(next.journal) == ["9", "10", "11", "12", "13", "14"])
            #expect(next.journalEnd == 14)
            try await store.update(RunUpdate(claim: next.key, journal: entries(15...15)))
            #expect(try reader.journal(id, after: 14, limit: 9).map(\.sequence) == [15])
            await #expect(throws: JobStoreError.self) {
                try await store.perform(JournalRemoval([9...9], by: claim.key))
            }
            #expect(try reader.journal(id, after: 0, limit: 1).map(\.sequence) == [9])
        }
    }
}
