import EventIO
import HTTPMessage
import JobJournal
import JobKit
import JobStore
import MemoryStore
import StrictJSON
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `A signal` {
    @Test func `wakes the job that was suspended for it and is its result`() async throws {
        let bench = try await Bench()
        let id = try await bench.submit(#"{"type": "await", "signal": "paid"}"#)
        let parked = try await bench.wait(for: id) { $0 == .waiting }
        #expect(parked.dueAt == nil)
        #expect(parked.detail.values.waits.first?.wait.reason == .signal)
        try await settle(while: bench.runner.runningCount > 0)
        try await bench.signal(id, "other", .bool(false))
        try await bench.signal(id, "paid", .object(JSONObject([("amount", 12)])))
        #expect(try await bench.finished(id).state == .succeeded)
        #expect(try bench.body(of: id) == .object(JSONObject([("amount", 12)])))
    }

    @Test func `that arrives before the wait is taken later`() async throws {
        let bench = try await Bench(time: ManualClock())
        let id = try await bench.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [
                {"type": "delay", "name": "first", "for": "PT0.4S"},
                {"type": "await", "name": "go", "signal": "go"}]}
            """#)
        try await bench.signal(id, "go", "early")
        #expect(try await bench.finishedInTime(id).state == .succeeded)
        #expect(try bench.views(id)["go"]?.result?.bodyValue == "early")
    }

    @Test func `is taken by one operation, and only when it matches`() async throws {
        let bench = try await Bench()
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "await", "name": "small", "signal": "n", "match": {"at": "/body", "less": 10}},
                {"type": "await", "name": "large", "signal": "n", "match": {"at": "/body", "greater": 10}}]}
            """#)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        try await bench.signal(id, "n", 99)
        try await bench.signal(id, "n", 98)
        try await bench.signal(id, "n", 3)
        #expect(try await bench.finished(id).state == .succeeded)
        let views = try bench.views(id)
        #expect(views["small"]?.result?.bodyValue == 3)
        #expect(views["large"]?.result?.bodyValue == 99)
    }

    @Test func `that arrived in time counts, however late the job sees it`() async throws {
        let time = ManualClock()
        let bench = try await Bench(time: time)
        let id = try await bench.submit(
            #"{"type": "await", "signal": "paid", "timeouts": {"total": "60s"}}"#)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        #expect(try await bench.hold(id, "closed").state == .held)
        await bench.letPass(.seconds(50))
        try await bench.signal(id, "paid", true)
        await bench.letPass(.seconds(50))
        do { try await bench.release(id) } catch let error as JobStoreError {
            // The deadline woke it before that.
            #expect(error.code == .wrongState(.succeeded))
        }
        #expect(try await bench.finished(id).state == .succeeded)
        #expect(try bench.body(of: id) == true)
    }

    @Test func `that does not come in time is a timeout`() async throws {
        let bench = try await Bench(time: ManualClock())
        let id = try await bench.submit(
            #"{"type": "await", "signal": "paid", "timeouts": {"total": "60s"}}"#)
        let record = try await bench.finishedInTime(id)
        #expect(record.state == .failed)
        #expect(record.error?.code.description == "timeout.total")
    }

    @Test func `reaches a job while it runs`() async throws {
        let bench = try await Bench { call, _ in
            await untilCancelled()
            return .json(200, "{}")
        }
        let id = try await bench.submit(
            #"""
            {"type": "group", "stop_when": "first_failure", "operations": [
                {"type": "network", "name": "long", "request": "https://x.example/long", "timeouts": {"total": "10s"}},
                {"type": "await", "name": "go", "signal": "go"},
                {"type": "network", "name": "stop", "after": ["go"], "request": {"method": "NOPE", "url": "x"}}]}
            """#.replacing(#"{"method": "NOPE", "url": "x"}"#, with: #""https://x.example/other""#))
        try await settle(while: bench.transport.calls.isEmpty)
        try await bench.signal(id, "go", 1)
        try await settle(while: bench.transport.calls.count < 2)
        #expect(
            bench.transport.calls.map(\.url).sorted() == [
                "https://x.example/long", "https://x.example/other",
            ])
        _ = try await bench.cancel(id)
        #expect(try await bench.finished(id).state == .cancelled)
    }

    @Test func `that is late fails the operation, or is replaced by a fallback`() async throws {
        let bench = try await Bench(time: ManualClock())
        let failing = try await bench.submit(
            #"{"type": "await", "signal": "s", "timeouts": {"total": "PT0.5S"}}"#)
        let going = try await bench.submit(
            #"{"type": "await", "signal": "s", "timeouts": {"total": "PT0.5S"}, "on_timeout": "continue"}"#)
        let standing = try await bench.submit(
            #"{"type": "await", "signal": "s", "timeouts": {"total": "PT0.5S"}, "on_timeout": {"value": {"paid": false}}}"#
        )
        let failed = try await bench.finishedInTime(failing)
        #expect(failed.state == .failed)
        #expect(failed.error?.code.description == "timeout.total")
        #expect(try await bench.finishedInTime(going).state == .succeeded)
        #expect(try bench.body(of: going) == .null)
        #expect(try await bench.finishedInTime(standing).state == .succeeded)
        #expect(try bench.body(of: standing) == .object(JSONObject([("paid", false)])))
    }

    @Test func `is not lost however it meets the job that is being suspended`() async throws {
        let bench = try await Bench()
        for _ in 0..<200 {
            let id = try await bench.submit(#"{"type": "await", "signal": "go"}"#)
            for _ in 0..<Int.random(in: 0...60) { await Task.yield() }
            try await bench.signal(id, "go", 1)
            #expect(try await bench.finished(id).state == .succeeded)
        }
    }

    @Test func `that another server tells of late is not taken twice`() async throws {
        let gate = Gate()
        let bench = try await Bench { _, _ in
            await gate.passed()
            return .json(200, "{}")
        }
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "await", "name": "first", "signal": "go"},
                {"type": "network", "name": "long", "request": "https://x.example/", "after": ["first"]},
                {"type": "await", "name": "second", "signal": "go", "after": ["first"]},
                {"type": "await", "name": "third", "signal": "go", "after": ["second"]}]}
            """#)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        try await settle(while: bench.runner.runningCount > 0)
        // The claim has the first one, and the run is told of each of the others twice.
        let first = try await bench.signal(id, "go", 1)
        try await settle(while: bench.transport.calls.isEmpty)
        bench.runner.take([first])
        let second = try await bench.signal(id, "go", 2)
        bench.runner.take([first, second])
        try await bench.signal(id, "go", 3)
        await bench.turn()
        gate.open()
        #expect(try await bench.finished(id).state == .succeeded)
        let views = try bench.views(id)
        #expect(views["first"]?.result?.bodyValue == 1)
        #expect(views["second"]?.result?.bodyValue == 2)
        #expect(views["third"]?.result?.bodyValue == 3)
    }

    @Test func `is not needed for a timeout to end a longer delay that is suspended`() async throws {
        let bench = try await Bench(time: ManualClock())
        let id = try await bench.submit(
            #"{"type": "delay", "for": "PT600S", "timeouts": {"total": "PT0.5S"}}"#)
        let record = try await bench.finishedInTime(id)
        #expect(record.state == .failed)
        #expect(record.error?.code.description == "timeout.total")
    }

    @Test func `that was sent while the server was down is there after its start`() async throws {
        let store = MemoryJobStore()
        let first = try await Bench(store: store)
        let id = try await first.submit(#"{"type": "await", "signal": "go"}"#)
        _ = try await first.wait(for: id) { $0 == .waiting }
        first.kill()
        try await first.signal(id, "go", 7)
        let next = try await Bench(store: store)
        #expect(try await next.finished(id).state == .succeeded)
        #expect(try next.body(of: id) == 7)
    }
}

extension Bench {
    /// Sends a job a signal, as the endpoint does. Returns what other servers are told.
    @discardableResult
    func signal(_ id: JobID, _ name: String, _ value: JSONValue) async throws -> RunRequest {
        let message = JobMessage(by: "test", content: .signal(name: name, value: value))
        let post = JobPost(
            id: id, journal: JournalEntry(at: now, path: [], event: .message(message)))
        let receipt = try await store.perform(post)
        if receipt.isRunning { runner.deliver(message, number: receipt.number, to: id) }
        return RunRequest(id: id, journal: post.journal, number: receipt.number)
    }

    /// The result of a job as JSON.
    func body(of id: JobID) throws -> JSONValue? { try store.makeReader().result(id)?.bodyValue }
}
