import EventIO
import HTTPMessage
import JobJournal
import JobKit
import MemoryStore
import StrictJSON
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `The order of posts to a run` {
    private func message(_ number: Int64) -> JobMessage {
        JobMessage(by: "ada", content: .signal(name: "\(number)", value: .null))
    }

    @Test func `is that of their numbers, and each comes once`() {
        var order = PostOrder(seen: 3)
        var seen: [JobMessage] = []
        for number: Int64 in [3, 6, 5, 4, 5, 6, 8] {
            order.arrived(message(number), number: number)
            while let next = order.next() { seen.append(next) }
        }
        #expect(seen == [message(4), message(5), message(6)])
        #expect(order.seen == 6)
        #expect(order.isBroken)
        #expect(!order.hasEarlyMember)
    }
}

@Suite struct `Posts that several servers store` {
    /// Two operations that take a signal each, beside a call.
    private static let two = #"""
        {"type": "group", "operations": [
            {"type": "network", "name": "slow", "request": "https://x.example/slow"},
            {"type": "await", "name": "one", "signal": "go"},
            {"type": "await", "name": "two", "signal": "go", "after": ["one"]}]}
        """#

    /// An engine whose slow calls end when a gate is opened.
    private func bench(_ gate: Gate, time: ManualClock? = nil) async throws -> Bench {
        try await Bench(time: time) { call, _ in
            if call.url.hasSuffix("/slow") { await gate.passed() }
            return .json(200, "{}")
        }
    }

    @Test func `reach a run in the order in which they were stored`() async throws {
        let gate = Gate()
        let bench = try await bench(gate)
        let id = try await bench.submit(Self.two)
        try await settle(while: bench.transport.calls.isEmpty)
        let first = try await bench.elsewhere(id, .signal(name: "go", value: 1))
        try await bench.signal(id, "go", 2)
        await bench.turn()
        bench.runner.take([first])
        await bench.turn()
        gate.open()
        #expect(try await bench.finished(id).state == .succeeded)
        #expect(try bench.views(id)["one"]?.result?.bodyValue == 1)
        #expect(try bench.views(id)["two"]?.result?.bodyValue == 2)
    }

    @Test func `are all found by the next run when the news of one did not come`() async throws {
        let gate = Gate()
        let bench = try await bench(gate)
        let id = try await bench.submit(Self.two)
        try await settle(while: bench.transport.calls.isEmpty)
        _ = try await bench.elsewhere(id, .signal(name: "go", value: 1))
        try await bench.signal(id, "go", 2)
        await bench.turn()
        gate.open()
        #expect(try await bench.finished(id).state == .succeeded)
        #expect(try bench.views(id)["one"]?.result?.bodyValue == 1)
        #expect(try bench.views(id)["two"]?.result?.bodyValue == 2)
    }

    @Test func `hold and release a run in the order in which they were stored`() async throws {
        let gate = Gate()
        let bench = try await bench(gate)
        let id = try await bench.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [
                {"type": "network", "name": "slow", "request": "https://x.example/slow"},
                {"type": "network", "name": "next", "request": "https://x.example/next"}]}
            """#)
        try await settle(while: bench.transport.calls.isEmpty)
        let hold = try await bench.elsewhere(id, .hold(reason: nil), .hold)
        try await bench.release(id)
        bench.runner.take([hold])
        await bench.turn()
        gate.open()
        #expect(try await bench.finished(id).state == .succeeded)
    }

    @Test func `are found though the run waits only for short times`() async throws {
        let bench = try await bench(Gate(), time: ManualClock())
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "repeat", "name": "busy", "max_runs": 1500, "every": "PT0.1S",
                 "operation": {"type": "value", "value": 1}},
                {"type": "await", "name": "go", "signal": "go"}]}
            """#)
        try await settle(while: bench.runner.runningCount == 0)
        _ = try await bench.elsewhere(id, .signal(name: "go", value: 1))
        try await bench.signal(id, "go", 2)
        try await bench.letPass(inStepsOf: .milliseconds(50)) {
            (try? bench.views(id)["go"])?.state == .succeeded
        }
        #expect(try bench.views(id)["go"]?.result?.bodyValue == 1)
        _ = try await bench.cancel(id)
        #expect(try await bench.finished(id).state == .cancelled)
    }

    @Test func `are found though a group is kept open for a member among them`() async throws {
        let gate = Gate()
        let bench = try await bench(gate, time: ManualClock())
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "network", "name": "slow", "request": "https://x.example/slow"}]}
            """#)
        try await settle(while: bench.transport.calls.isEmpty)
        #expect(await bench.reserve(id, []) == .reserved)
        gate.open()
        try await bench.letPass(inStepsOf: .milliseconds(5)) {
            (try? bench.views(id)["slow"])?.state == .succeeded
        }
        _ = try await bench.elsewhere(id, .signal(name: "go", value: 1))
        let late = #"{"type": "network", "name": "late", "request": "https://x.example/late"}"#
        let spec = try JSONParser.parse(Array(late.utf8))
        let member = try await bench.elsewhere(id, .member(group: [], spec: spec))
        bench.runner.take([member])
        try await bench.letPass(until: .succeeded, id)
        #expect(bench.transport.calls.map(\.url) == ["https://x.example/slow", "https://x.example/late"])
    }
}

extension Bench {
    /// Stores a post as another server does. Returns what that tells of it.
    func elsewhere(
        _ id: JobID, _ content: JobMessage.Content, _ effect: JobPost.Effect = .wake
    ) async throws -> RunRequest {
        let message = JobMessage(by: "test", content: content)
        let entry = JournalEntry(at: now, path: [], event: .message(message))
        let post = JobPost(id: id, journal: entry, effect: effect)
        let receipt = try await store.perform(post)
        return RunRequest(id: id, journal: entry, number: receipt.number)
    }
}
