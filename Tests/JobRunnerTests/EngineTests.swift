import HTTPMessage
import JobJournal
import JobKit
import StrictJSON
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `The engine` {
    @Test func `runs a call and keeps its result`() async throws {
        let bench = try await Bench { _, _ in .json(201, #"{"id": 7}"#) }
        let id = try await bench.submit(#"{"type": "network", "request": "https://api.example/x"}"#)
        let record = try await bench.finished(id)
        #expect(record.state == .succeeded)
        #expect(record.attempt == 1)
        #expect(try bench.store.makeReader().result(id)?.status == 201)
        #expect(try record.inline() == ["id": 7])
    }

    @Test func `passes results on along a chain`() async throws {
        let bench = try await Bench { call, _ in
            switch call.url {
            case "https://a.example/token": .json(200, #"{"token": "t1"}"#)
            case "https://b.example/session": .json(200, #"{"session": "s-\#(call.value("authorization"))"}"#)
            default: .json(200, #"{"name": "Ada"}"#)
            }
        }
        let id = try await bench.submit(Self.chain)
        let record = try await bench.finished(id)
        #expect(record.state == .succeeded)
        #expect(bench.transport.calls.map(\.url) == Self.urls)
        #expect(bench.transport.calls.last?.value("x-session") == "s-Bearer t1")
        #expect(record.detail.values.operations.values.reduce(0, +) == 3)
    }

    @Test func `ends a broken chain with the original error and explains the skipped rest`()
        async throws
    {
        let bench = try await Bench { call, _ in
            call.url.hasSuffix("/session")
                ? .json(401, #"{"error": "wrong password"}"#) : .json(200, #"{"token": "t"}"#)
        }
        let id = try await bench.submit(Self.chain)
        let record = try await bench.finished(id)
        let error = record.error
        #expect(record.state == .failed)
        #expect(error?.code.description == "http.status")
        #expect(error?.stage.rawValue == "execution")
        #expect(error?.publisher == "session")
        #expect(error?.path == ["login", "session"])
        #expect(error?.upstream?.status == 401)
        let views = try bench.views(id)
        #expect(views["profile"]?.state == .skipped)
        #expect(views["profile"]?.errors.first?.code == .dependencyFailed)
        #expect(bench.transport.calls.count == 2)
    }

    @Test func `tries again, visibly, and keeps every attempt`() async throws {
        let bench = try await Bench(time: ManualClock()) { _, before in
            before < 2 ? .json(503, "{}") : .json(200, "{}")
        }
        let id = try await bench.submit(
            #"{"type": "network", "request": "https://a.example/", "retry": {"max_attempts": 3, "#
                + #""backoff": "PT0.4S", "jitter": "none"}}"#)
        let record = try await bench.finishedInTime(id)
        let retrying = bench.changes(of: id).filter { $0.state == .retrying }
        #expect(retrying.count == 2)
        #expect(retrying.allSatisfy { $0.dueAt != nil })
        #expect(record.state == .succeeded)
        #expect(record.attempt == 3)
        let attempts = try bench.views(id)[""]?.attempts ?? []
        #expect(attempts.map(\.number) == [1, 2, 3])
        #expect(attempts.map(\.outcome) == [.failed, .failed, .succeeded])
    }

    @Test(arguments: ["network", "download"])
    func `suspends a job that waits for its origin, without an attempt`(type: String) async throws {
        let bench = try await Bench { _, _ in .json(429, "{}", fields: [("Retry-After", "60")]) }
        let first = try await bench.submit(
            #"{"type": "network", "request": "https://a.example/", "retry": {"max_attempts": 1}}"#)
        _ = try await bench.finished(first)
        let id = try await bench.submit(#"{"type": "\#(type)", "request": "https://a.example/file"}"#)
        let record = try await bench.wait(for: id) { $0 == .waiting || $0.isFinal }
        #expect(record.state == .waiting)
        let wait = record.detail.values.waits.first?.wait
        #expect(wait?.reason == .origin)
        #expect(wait?.key == "https://a.example")
        #expect(bench.transport.calls.count == 1)
    }

    @Test func `puts a waiting job down and wakes it when its time has come`() async throws {
        let bench = try await Bench(time: ManualClock())
        let id = try await bench.submit(#"{"type": "delay", "for": "PT0.6S"}"#)
        let record = try await bench.finishedInTime(id)
        #expect(bench.changes(of: id).map(\.state).contains(.waiting))
        #expect(record.state == .succeeded)
        let took = try #require(record.finishedAt).since(record.createdAt)
        #expect(took >= .milliseconds(600))
    }

    @Test func `does not suspend a tree while an operation in it can proceed`() async throws {
        let time = ManualClock()
        let bench = try await Bench(time: time) { _, _ in .json(200, "{}") }
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "delay", "name": "wait", "for": "P300D"},
                {"type": "network", "name": "a", "request": "https://a.example/a"},
                {"type": "network", "name": "b", "request": "https://a.example/b", "after": ["a"]}]}
            """#)
        try await settle(while: bench.views(id)["b"]?.state != .succeeded)
        // A moment later the run notices that the rest only waits.
        while !bench.changes(of: id).map(\.state).contains(.waiting) {
            time.advance(by: .milliseconds(20))
            await Task.yield()
        }
        #expect(bench.transport.calls.count == 2)
        let record = try await bench.finishedInTime(id)
        #expect(record.state == .succeeded)
        #expect(bench.changes(of: id).map(\.state).contains(.waiting))
        #expect(bench.transport.calls.count == 2)
    }

    @Test func `shows the last error while it waits for the next attempt`() async throws {
        let bench = try await Bench { _, _ in .json(503, "{}") }
        let id = try await bench.submit(
            #"{"type": "network", "request": "https://a.example/", "retry": {"max_attempts": 2, "#
                + #""backoff": "PT1H", "jitter": "none"}}"#)
        let waiting = try await bench.wait(for: id) { $0 == .retrying }
        #expect(waiting.detail.values.lastError?.code.description == "http.status")
        try await settle(while: bench.runner.runningCount > 0)
    }

    @Test func `stops a running job, and one that waits`() async throws {
        let bench = try await Bench { _, _ throws(HTTPCallFailure) in
            await untilCancelled()
            throw HTTPCallFailure(
                code: "cancelled.transport", detail: "stopped", phase: .wait, delivery: .sentUnknown)
        }
        let running = try await bench.submit(#"{"type": "network", "request": "https://a.example/"}"#)
        let waiting = try await bench.submit(#"{"type": "delay", "for": "PT1H"}"#)
        _ = try await bench.wait(for: running) { $0 == .running }
        _ = try await bench.wait(for: waiting) { $0 == .waiting }
        try await settle(while: bench.transport.calls.isEmpty)
        guard case .cancelling = try await bench.cancel(running, reason: "there is news") else {
            Issue.record("a running job was not asked to stop")
            return
        }
        guard case .cancelled = try await bench.cancel(waiting) else {
            Issue.record("a waiting job was not cancelled at once")
            return
        }
        let record = try await bench.finished(running)
        #expect(record.state == .cancelled)
        let error = record.error
        #expect(error?.code.description == "cancelled.user")
        #expect(error?.detail.hasSuffix(" was cancelled: there is news") == true)
        #expect(error?.delivery == "sent_unknown")
        let entries = try bench.store.makeReader().journal(waiting, after: 0, limit: 100).map(\.entry)
        guard case .finished(let ending)? = entries.last?.event else {
            Issue.record("nothing says that the waiting job ended")
            return
        }
        #expect(ending.state == .cancelled)
    }

    @Test func `does not stop a run for a late request to cancel an earlier one`() async throws {
        let gate = Gate()
        let bench = try await Bench { _, before in
            if before > 0 { await gate.passed() }
            return .json(before == 0 ? 404 : 200, "{}")
        }
        let id = try await bench.submit(#"{"type": "network", "request": "https://a.example/"}"#)
        #expect(try await bench.finished(id).state == .failed)
        try await bench.retry(id)
        try await settle(while: bench.transport.calls.count < 2)
        let fence = try #require(try bench.store.makeReader().job(id)).fence
        let entry = JournalEntry(at: bench.now, path: [], event: .cancelRequested(by: "ada", reason: nil))
        bench.runner.take([RunRequest(id: id, journal: entry, number: fence - 1)])
        await bench.turn()
        gate.open()
        #expect(try await bench.finished(id).state == .succeeded)
    }

    @Test func `reports a failed condition when the host is unreachable`() async throws {
        let bench = try await Bench()
        let id = try await bench.submit(
            #"{"type": "network", "request": "https://a.example/", "conditions": [{"type": "reachability", "#
                + #""url": "https://a.example/"}]}"#)
        let error = try await bench.finished(id).error
        #expect(error?.stage.rawValue == "condition")
        #expect(error?.code.description == "condition.unreachable")
        #expect(error?.publisher == "reachability")
        #expect(bench.transport.calls.isEmpty)
    }

    static let urls = ["https://a.example/token", "https://b.example/session", "https://c.example/profile"]
    static let chain = #"""
        {"type": "group", "name": "login", "ordered": true, "operations": [
            {"type": "network", "name": "token", "request": "https://a.example/token"},
            {"type": "network", "name": "session", "request": {"url": "https://b.example/session",
                "auth": {"type": "bearer", "token": {"$get": "token", "at": "/body/token"}}}},
            {"type": "network", "name": "profile", "request": {"url": "https://c.example/profile",
                "headers": {"X-Session": {"$get": "session", "at": "/body/session"}}}}]}
        """#
}

extension HTTPCall {
    func value(_ name: String) -> String { fields.first { $0.name.lowercased() == name }?.value ?? "" }
}
