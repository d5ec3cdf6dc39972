import JobJournal
import JobKit
import JobStore
import StrictJSON
import Testing

@Suite struct `An index of a journal` {
    private func entries(_ range: ClosedRange<Int>) -> [JournalEntry] {
        range.flatMap { number -> [JournalEntry] in
            [
                JournalEntry(at: .noon, path: ["each", "\(number)"], event: .started),
                JournalEntry(
                    at: .noon, path: ["each", "\(number)"],
                    event: .attemptStarted(number: 1, method: "GET", url: #"http://a/"],"event":"x"#)),
                JournalEntry(
                    at: .noon, path: ["each", "\(number)"],
                    event: .finished(OperationEnding(state: .succeeded))),
            ]
        }
    }

    @Test(arguments: Engine.allCases) func `finds the entries of one operation among many`(_ engine: Engine)
        async throws
    {
        try await engine.withStore { store in
            try await store.add(.sample())
            let claim = try await store.claimOne()
            let id = claim.record.id
            let reader = try store.makeReader()
            try await store.update(RunUpdate(claim: claim.key, journal: entries(1...40)))
            var index = try reader.index(id, from: JournalIndex())
            #expect(index.last == 120)
            #expect(index[OperationPlace(["each"])].copies == 40)
            try await store.update(
                RunUpdate(
                    claim: claim.key,
                    journal: entries(41...60) + [
                        JournalEntry(
                            at: .noon, path: ["each"], event: .noted(name: "$items", value: .array([1, 2]))),
                        JournalEntry(at: .noon, path: ["each", "7"], event: .started),
                    ]))
            index = try reader.index(id, from: index)
            #expect(index.last == 182)
            #expect(index[OperationPlace(["each"])].copies == 2)
            let node = index[OperationPlace(["each", "7"])]
            #expect(node.entries == [19, 20, 21, 182])
            #expect(!node.isOver && node.hasAttempts)
            #expect(index[OperationPlace(["each", "8"])].isOver)
            #expect(index[OperationPlace(["each", "61"])].entries.isEmpty)
            let found = try reader.journal(id, at: node.entries)
            #expect(found.map(\.sequence) == node.entries)
            #expect(found.allSatisfy { $0.entry.path == ["each", "7"] })
            #expect(try reader.journal(id, at: [121, 500]).map(\.sequence) == [121])
            // Pages begin and end inside a transaction's entries.
            var seen: [Int64] = []
            while true {
                let page = try reader.journal(id, after: seen.last ?? 0, limit: 7)
                seen += page.map(\.sequence)
                if page.count < 7 { break }
            }
            #expect(seen == (1...182).map { $0 })
        }
    }
}
