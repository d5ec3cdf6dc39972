import JobKit
@testable import SQLiteStore
import Testing

@testable import JobStore

@Suite struct `A large update of a run` {
    private func entry(_ name: String, bytes: Int) -> JournalEntry {
        let result = OperationResult(
            status: nil, headers: [], contentType: nil, body: [UInt8](repeating: 120, count: bytes))
        return JournalEntry(
            at: .noon, path: [name], event: .finished(OperationEnding(state: .succeeded, result: result)))
    }

    @Test func `is written in parts, with the end of the run in the last`() {
        let claim = ClaimKey(id: .made(at: .noon), fence: 1)
        let journal = (1...5).map { entry("\($0)", bytes: 600 << 10) }
        var update = RunUpdate(claim: claim, journal: journal, standing: .init(state: .succeeded, attempt: 1))
        update.taken = [ExclusiveHold(key: "a", job: claim.id, path: [])]
        update.freed = ["b"]
        var pieces: [RunUpdate] = []
        var rest: RunUpdate? = update
        while let whole = rest {
            let (first, next) = whole.pieces
            pieces.append(first)
            rest = next
        }
        #expect(pieces.count == 5)
        #expect(pieces.flatMap(\.journal).map(\.path) == journal.map(\.path))
        #expect(pieces.map { $0.standing != nil } == [false, false, false, false, true])
        #expect(pieces.map(\.taken.count) == [1, 0, 0, 0, 0])
        #expect(pieces.map(\.freed.count) == [0, 0, 0, 0, 1])
    }

    @Test(arguments: Engine.allCases) func `leaves a key to the operation that takes it over`(
        _ engine: Engine
    ) async throws {
        try await engine.withStore { store in
            let id = try await store.add(.sample()).id
            let claim = try await store.claimOne()
            func hold(_ key: String, _ name: String) -> ExclusiveHold {
                ExclusiveHold(key: key, job: id, path: [name])
            }
            var begin = RunUpdate(claim: claim.key, journal: [])
            begin.taken = [hold("a", "before"), hold("b", "before")]
            try await store.update(begin)
            var update = RunUpdate(
                claim: claim.key, journal: [entry("before", bytes: 800 << 10), entry("x", bytes: 800 << 10)],
                standing: .init(state: .waiting, attempt: 1, dueAt: .noon(1)))
            update.taken = [hold("a", "after")]
            update.freed = ["a", "b"]
            let (first, rest) = update.pieces
            #expect(first.freed == ["a"])
            #expect(rest?.freed == ["b"])
            try await store.update(first)
            try await store.update(try #require(rest))
            #expect(try store.makeReader().holds() == [hold("a", "after")])
        }
    }

    @Test func `is one piece when it is little, or one entry`() {
        let claim = ClaimKey(id: .made(at: .noon), fence: 1)
        let little = RunUpdate(claim: claim, journal: (1...100).map { entry("\($0)", bytes: 100) })
        #expect(little.pieces.rest == nil)
        #expect(RunUpdate(claim: claim, journal: [entry("a", bytes: 8 << 20)]).pieces.rest == nil)
    }

    private func command(_ bytes: Int) -> StoreCommand {
        StoreCommand(isUpdate: true, bytes: bytes, reply: { (_: Result<Int, JobStoreError>) in }) { _ in
            .success(0)
        }
    }

    @Test func `takes turns with the writes of others`() {
        let queue = WriteQueue()
        for _ in 0..<3 { queue.add(command(8 << 20)) }
        for _ in 0..<3 { queue.add(command(0)) }
        var groups: [[Int]] = []
        for _ in 0..<4 { groups.append(queue.next(limit: 100, waiting: 0)?.map(\.bytes) ?? []) }
        #expect(groups.contains([0, 0, 0]))
        #expect(groups.firstIndex(of: [0, 0, 0]).map { $0 <= 1 } == true)
        #expect(groups.count { $0 == [8 << 20] } == 3)
    }

    @Test func `is no pressure for the writes of others`() {
        let queue = WriteQueue()
        for _ in 0..<3 { queue.add(command(8 << 20)) }
        #expect(queue.pressure.waiting == 0)
        #expect(queue.pressure.oldest == .zero)
    }
}
