import EventIO
import HTTPMessage
import JobJournal
import JobKit
import MemoryStore
import StrictJSON
import Testing

@testable import JobRunner
@testable import JobStore

/// An operation that locks something relies on its being unlocked, whatever happens in between.
@Suite struct `What is done finally` {
    private static func spec(_ rest: String = "") -> String {
        #"""
        {"type": "group", "operations": [
            {"type": "network", "name": "lock", "request": "https://x.example/lock"},
            {"type": "await", "name": "go", "signal": "go", "after": ["lock"]}],
         "finally": [{"type": "network", "name": "unlock", "request": "https://x.example/unlock"}]\#(rest)}
        """#
    }

    private func urls(_ bench: Bench) -> [String] {
        bench.transport.calls.map { String($0.url.dropFirst("https://x.example/".count)) }
    }

    @Test(arguments: [false, true])
    func `is done when a suspended job is cancelled`(hasRestarted: Bool) async throws {
        let store = MemoryJobStore()
        var bench = try await Bench(store: store)
        let id = try await bench.submit(Self.spec())
        _ = try await bench.wait(for: id) { $0 == .waiting }
        let before = urls(bench)
        if hasRestarted {
            bench.kill()
            bench = try await Bench(store: store)
        }
        _ = try await bench.cancel(id)
        #expect(try await bench.finished(id).state == .cancelled)
        #expect(before == ["lock"])
        #expect(urls(bench).last == "unlock")
        #expect(try bench.views(id)["go"]?.state == .cancelled)
        #expect(try bench.views(id)["unlock"]?.state == .succeeded)
    }

    @Test func `runs beside siblings that end without being resumed`() async throws {
        let bench = try await Bench()
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "group", "name": "m", "map": {"items": [1, 2], "operation": {"type": "await", "signal": "s"}}},
                {"type": "repeat", "name": "r", "max_runs": 3, "operation": {"type": "delay", "for": "1h"}}],
             "finally": [{"type": "network", "name": "unlock", "request": "https://x.example/unlock"}]}
            """#)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        _ = try await bench.cancel(id)
        #expect(try await bench.finished(id).state == .cancelled)
        let entries = try bench.store.makeReader().journal(id, after: 0, limit: 1_000).map(\.entry)
        let ended = entries.filter { if case .finished = $0.event { true } else { false } }
        #expect(
            ended.map { $0.path.joined(separator: "/") }.sorted()
                == ["", "m", "m/1", "m/2", "r", "r/1", "unlock"])
    }

    @Test func `is done when a stopped job is held`() async throws {
        let gate = Gate()
        let bench = try await Bench { call, _ in
            if call.url.hasSuffix("/lock") { await gate.passed() }
            return .json(200, "{}")
        }
        let id = try await bench.submit(Self.spec())
        try await settle(while: bench.transport.calls.isEmpty)
        #expect(try await bench.hold(id, "closed").state == .running)
        _ = try await bench.cancel(id)
        gate.open()
        #expect(try await bench.finished(id).state == .cancelled)
        #expect(urls(bench) == ["lock", "unlock"])
    }

    @Test(arguments: [#", "timeouts": {"total": "60s"}"#, #", "finish_by": "60s""#])
    func `is done when a clock strikes while the job is not in memory`(clock: String) async throws {
        let time = ManualClock()
        let store = MemoryJobStore(clock: time)
        let first = try await Bench(store: store, time: time)
        let id = try await first.submit(Self.spec(clock))
        _ = try await first.wait(for: id) { $0 == .waiting }
        first.kill()
        time.advance(by: .seconds(90))
        let next = try await Bench(store: store, time: time)
        #expect(try await next.finished(id).state == .failed)
        #expect(urls(next) == ["unlock"])
    }

    @Test func `goes on after a restart when the group could not make its members`() async throws {
        let time = ManualClock()
        let store = MemoryJobStore(clock: time)
        let first = try await Bench(store: store, time: time)
        let id = try await first.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "value", "name": "list", "value": {"a": 1}},
                {"type": "group", "name": "all",
                 "map": {"items": {"$get": "list"},
                         "operation": {"type": "network", "request": "https://x.example/one"}},
                 "finally": [{"type": "network", "name": "unlock", "request": "https://x.example/unlock"},
                             {"type": "delay", "name": "rest", "for": "1h", "after": ["unlock"]}]}]}
            """#)
        _ = try await first.wait(for: id) { $0 == .waiting }
        #expect(urls(first) == ["unlock"])
        first.kill()
        let next = try await Bench(store: store, time: time)
        let record = try await next.finishedInTime(id)
        #expect(record.state == .failed)
        #expect(record.error?.code == .transformFailed)
        #expect(urls(next) == [])
        #expect(try next.views(id)["all/unlock"]?.state == .succeeded)
        #expect(try next.views(id)["all/rest"]?.state == .succeeded)
    }

    @Test func `is done when a clock strikes while the job is held`() async throws {
        let time = ManualClock()
        let bench = try await Bench(time: time)
        let id = try await bench.submit(Self.spec(#", "finish_by": "60s""#))
        _ = try await bench.wait(for: id) { $0 == .waiting }
        #expect(try await bench.hold(id, "closed").state == .held)
        #expect(try await bench.finishedInTime(id).state == .failed)
        #expect(urls(bench) == ["lock", "unlock"])
    }

    @Test
    func `is retried for a stopped group even while the job is held`() async throws {
        let time = ManualClock()
        let gate = Gate()
        let bench = try await Bench(time: time) { call, before in
            guard call.url.hasSuffix("/unlock"), before == 0 else { return .json(200, "{}") }
            await gate.passed()
            return .json(503, "{}")
        }
        let id = try await bench.submit(Self.stoppedInside)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        time.advance(by: .seconds(61))
        try await settle(while: urls(bench).isEmpty)
        _ = try await bench.hold(id, "closed")
        gate.open()
        try await bench.letPass(inStepsOf: .milliseconds(200)) { urls(bench).count == 2 }
        try await bench.letPass(until: .held, id)
        #expect(try bench.views(id)["inner/unlock"]?.state == .succeeded)
        #expect(urls(bench) == ["unlock", "unlock"])
    }

    private static let stoppedInside = #"""
        {"type": "group", "operations": [
            {"type": "group", "name": "inner", "finish_by": "60s",
             "operations": [{"type": "await", "name": "go", "signal": "go"}],
             "finally": [{"type": "network", "name": "unlock", "request": "https://x.example/unlock",
                          "retry": {"max_attempts": 2, "backoff": "PT0.2S", "jitter": "none"}}]},
            {"type": "await", "name": "later", "signal": "later"}]}
        """#

    @Test func `runs for a group whose timeout expires while the job is held`()
        async throws
    {
        let bench = try await Bench(time: ManualClock())
        let id = try await bench.submit(Self.stoppedInside)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        let held = try await bench.hold(id, "closed")
        #expect(held.state == .held)
        try await bench.letPass(inStepsOf: .seconds(1)) { !urls(bench).isEmpty }
        try await bench.letPass(until: .held, id)
        #expect(urls(bench) == ["unlock"])
        #expect(try bench.views(id)["inner"]?.state == .failed)
        #expect(try bench.views(id)["later"]?.state != .cancelled)
    }

    @Test func `is tried again after a restart although the job is held`()
        async throws
    {
        let time = ManualClock()
        let store = MemoryJobStore(clock: time)
        let gate = Gate()
        let first = try await Bench(store: store, time: time) { call, _ in
            if call.url.hasSuffix("/unlock") { await gate.passed() }
            return .json(503, "{}")
        }
        let id = try await first.submit(Self.stoppedInside)
        _ = try await first.wait(for: id) { $0 == .waiting }
        time.advance(by: .seconds(61))
        try await settle(while: urls(first).isEmpty)
        _ = try await first.hold(id, "closed")
        first.kill()
        gate.open()
        let next = try await Bench(store: store, time: time)
        try await next.letPass(inStepsOf: .milliseconds(200)) { !urls(next).isEmpty }
        try await next.letPass(until: .held, id)
        #expect(urls(next) == ["unlock"])
        #expect(try next.views(id)["inner/unlock"]?.state == .succeeded)
    }

    @Test func `continues after a crash in the middle of it`() async throws {
        let store = MemoryJobStore()
        let gate = Gate()
        let first = try await Bench(store: store) { call, _ in
            if call.url.hasSuffix("/unlock") { await gate.passed() }
            return .json(200, "{}")
        }
        let id = try await first.submit(Self.spec())
        _ = try await first.wait(for: id) { $0 == .waiting }
        _ = try await first.cancel(id)
        try await settle(while: urls(first).last != "unlock")
        first.kill()
        let next = try await Bench(store: store)
        #expect(try await next.finished(id).state == .cancelled)
        #expect(urls(next) == ["unlock"])
    }

    @Test func `is done in a group inside of another one`() async throws {
        let store = MemoryJobStore()
        let first = try await Bench(store: store)
        let id = try await first.submit(#"{"type": "group", "operations": [\#(Self.spec())]}"#)
        _ = try await first.wait(for: id) { $0 == .waiting }
        first.kill()
        let next = try await Bench(store: store)
        _ = try await next.cancel(id)
        #expect(try await next.finished(id).state == .cancelled)
        #expect(urls(next) == ["unlock"])
    }

    @Test func `is not done when nothing had begun`() async throws {
        let bench = try await Bench(settings: RunnerSettings(), time: ManualClock())
        let id = try await bench.submit(Self.spec(#", "run_at": "1h""#))
        _ = try await bench.wait(for: id) { $0 == .scheduled }
        _ = try await bench.cancel(id)
        #expect(try await bench.finished(id).state == .cancelled)
        #expect(bench.transport.calls.isEmpty)
    }

    @Test func `is done again when the group is tried again`() async throws {
        let bench = try await Bench { call, before in
            .json(call.url.hasSuffix("/work") && before == 0 ? 404 : 200, "{}")
        }
        let id = try await bench.submit(
            #"""
            {"type": "group", "ordered": true, "operations": [
                {"type": "network", "name": "lock", "request": "https://x.example/lock"},
                {"type": "network", "name": "work", "request": "https://x.example/work"}],
             "finally": [{"type": "value", "name": "seen", "value": {"$get": "work", "at": "/state"}}]}
            """#)
        #expect(try await bench.finished(id).state == .failed)
        try await bench.retry(id)
        let record = try await bench.wait(for: id) { $0 == .succeeded }
        #expect(record.state == .succeeded)
        #expect(try bench.body(of: id)?.object?["seen"] == nil)
        #expect(try bench.views(id)["seen"]?.result?.bodyValue == "succeeded")
    }

    @Test func `waits its full time when it is repeated`() async throws {
        let time = ManualClock()
        let bench = try await Bench(time: time) { call, before in .json(before == 0 ? 404 : 200, "{}") }
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "network", "name": "work", "request": "https://x.example/work"}],
             "finally": [{"type": "delay", "name": "pause", "for": "60s"}]}
            """#)
        #expect(try await bench.finishedInTime(id).state == .failed)
        try await bench.retry(id)
        let ended = try await bench.finishedInTime(id)
        #expect(ended.state == .succeeded)
        #expect(bench.now.since(ended.createdAt) == .seconds(120))
    }

    @Test func `stays last when a member is added`() async throws {
        let bench = try await Bench()
        let id = try await bench.submit(Self.spec())
        _ = try await bench.wait(for: id) { $0 == .waiting }
        try await bench.add(id, #"{"type": "network", "name": "more", "request": "https://x.example/more"}"#)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        try await bench.signal(id, "go", 1)
        #expect(try await bench.finished(id).state == .succeeded)
        #expect(urls(bench) == ["lock", "more", "unlock"])
    }
}
