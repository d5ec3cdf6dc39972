import EventIO
import HTTPMessage
import JobJournal
import JobKit
import MemoryStore
import StrictJSON
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `A member that is added` {
    static let open = #"""
        {"type": "group", "ordered": true, "operations": [
            {"type": "value", "name": "first", "value": {"n": 7}},
            {"type": "await", "name": "go", "signal": "go"}]}
        """#

    @Test func `joins a suspended job, last in its order, and counts for its result`() async throws {
        let bench = try await Bench()
        let id = try await bench.submit(Self.open)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        try await bench.add(
            id,
            #"{"type": "network", "name": "call", "request": {"url": "https://x.example/{n}", "#
                + #""vars": {"n": {"$get": "first", "at": "/body/n"}}}}"#)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        #expect(bench.transport.calls.isEmpty)
        try await bench.signal(id, "go", 1)
        let record = try await bench.finished(id)
        #expect(record.state == .succeeded)
        #expect(bench.transport.calls.map(\.url) == ["https://x.example/7"])
        #expect(record.detail.values.operations.values.reduce(0, +) == 3)
        #expect(try bench.body(of: id)?.object?["call"] != nil)
    }

    @Test func `joins a group while it runs, and keeps it open until then`() async throws {
        let gate = Gate()
        let bench = try await Bench { call, _ in
            if call.url.hasSuffix("/slow") { await gate.passed() }
            return .json(200, "{}")
        }
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "network", "name": "slow", "request": "https://x.example/slow"}]}
            """#)
        try await settle(while: bench.transport.calls.isEmpty)
        #expect(await bench.reserve(id, []) == .reserved)
        gate.open()
        try await settle(while: bench.views(id)["slow"]?.state != .succeeded)
        #expect(try bench.store.makeReader().job(id)?.state == .running)
        try await bench.add(id, #"{"type": "network", "name": "late", "request": "https://x.example/late"}"#)
        #expect(try await bench.finished(id).state == .succeeded)
        #expect(bench.transport.calls.map(\.url) == ["https://x.example/slow", "https://x.example/late"])
        #expect(await bench.reserve(id, []) == .notRunning)
    }

    @Test func `is not taken by a group that is over`() async throws {
        let gate = Gate()
        let bench = try await Bench { _, _ in
            await gate.passed()
            return .json(200, "{}")
        }
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "group", "name": "inner", "operations": [{"type": "value", "value": 1}]},
                {"type": "network", "name": "slow", "request": "https://x.example/slow"}]}
            """#)
        try await settle(while: bench.transport.calls.isEmpty)
        try await settle(while: bench.views(id)["inner"]?.state != .succeeded)
        #expect(await bench.reserve(id, ["inner"]) == .closed)
        #expect(await bench.reserve(id, []) == .reserved)
        bench.runner.forgetMember(in: [], of: id)
        gate.open()
        #expect(try await bench.finished(id).state == .succeeded)
    }

    @Test func `is there after a restart`() async throws {
        let store = MemoryJobStore()
        let first = try await Bench(store: store)
        let id = try await first.submit(Self.open)
        _ = try await first.wait(for: id) { $0 == .waiting }
        try await settle(while: first.runner.runningCount > 0)
        first.kill()
        try await first.add(id, #"{"type": "network", "name": "call", "request": "https://x.example/a"}"#)
        let next = try await Bench(store: store)
        try await next.signal(id, "go", 1)
        #expect(try await next.finished(id).state == .succeeded)
        #expect(next.transport.calls.map(\.url) == ["https://x.example/a"])
    }
}

extension Bench {
    func reserve(_ id: JobID, _ group: [String]) async -> MemberPlace {
        await withCheckedContinuation { continuation in
            runner.reserveMember(in: group, of: id) { continuation.resume(returning: $0) }
        }
    }

    /// Adds a member to the root.
    func add(_ id: JobID, _ spec: String) async throws {
        let value = try JSONParser.parse(Array(spec.utf8))
        let message = JobMessage(by: "ada", content: .member(group: [], spec: value))
        let entry = JournalEntry(at: SystemClock().now, path: [], event: .message(message))
        let receipt = try await store.perform(JobPost(id: id, journal: entry))
        if receipt.isRunning { runner.deliver(message, number: receipt.number, to: id) }
    }
}
