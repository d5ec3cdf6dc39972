import HTTPMessage
import JobJournal
import JobKit
import MemoryStore
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `A choice that was made` {
    /// A choice by the state of `x`: `b` when it failed, `e` otherwise.
    private static let spec = #"""
        {"type": "group", "name": "all", "operations": [
          {"type": "network", "name": "x", "request": "https://a.example/x", "on_failure": "continue"},
          {"type": "choose", "name": "c", "after": [{"operation": "x", "states": "any"}],
           "of": [{"when": {"$get": "x", "at": "/state", "equals": "failed"},
                   "operation": {"type": "network", "name": "b", "request": "https://a.example/b"}}],
           "else": {"type": "network", "name": "e", "request": "https://a.example/e"}}]}
        """#

    private static func names(_ bench: Bench) -> [String] {
        bench.transport.calls.map { String($0.url.suffix(1)) }
    }

    @Test func `stays when the job is retried, although it would be another one now`() async throws {
        let bench = try await Bench(time: ManualClock()) { _, before in .json(before == 0 ? 404 : 200, "{}")
        }
        let id = try await bench.submit(Self.spec)
        #expect(try await bench.finishedInTime(id).state == .failed)
        try await bench.retry(id)
        #expect(try await bench.finishedInTime(id).state == .succeeded)
        #expect(Self.names(bench).sorted() == ["b", "b", "x", "x"])
        let views = try bench.views(id)
        #expect(views["c/e"]?.state == .skipped)
        #expect(views["c/e"]?.errors.map(\.code) == [.notChosen])
    }

    @Test func `is made anew by a repetition that starts over`() async throws {
        let bench = try await Bench(time: ManualClock()) { _, before in
            .json(before == 0 ? 404 : 200, "{}")
        }
        let id = try await bench.submit(
            #"""
            {"type": "repeat", "max_runs": 1, "until": {"at": "/state", "equals": "never"}, "operation": \#(Self.spec)}
            """#)
        #expect(try await bench.finishedInTime(id).state == .failed)
        try await bench.retry(id)
        #expect(try await bench.finishedInTime(id).state == .failed)
        #expect(Self.names(bench) == ["x", "b", "x", "e"])
    }

    @Test func `goes on with its branch after a restart in the middle`() async throws {
        let store = MemoryJobStore()
        let first = try await Bench(store: store) { call, _ in
            if call.url.hasSuffix("/b") { await untilCancelled() }
            return .json(404, "{}")
        }
        let id = try await first.submit(Self.spec)
        try await settle(while: first.transport.calls.count < 2)
        first.kill()
        let next = try await Bench(store: store) { _, _ in .json(200, "{}") }
        #expect(try await next.finished(id).state == .succeeded)
        #expect(Self.names(next) == ["b"])
        #expect(try next.views(id)["c/e"]?.errors.map(\.code) == [.notChosen])
    }
}
