import EventIO
import HTTPMessage
import JobJournal
import JobKit
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `A job with nothing but waits left` {
    @Test(arguments: [
        #"[{"when": {"$job": "priority", "equals": 5}, "otherwise": "skip"}, {"type": "approval", "prompt": "p"}]"#,
        #"[{"type": "approval", "prompt": "p"}, {"type": "reachability", "url": "https://x.example/"}]"#,
        #"[{"any": [{"type": "approval", "prompt": "p"}, "#
            + #"{"type": "reachability", "url": "https://x.example/"}]}]"#,
    ])
    func `leaves memory when its other conditions are decided`(conditions: String) async throws {
        let bench = try await Bench(settings: .asking)
        let id = try await bench.submit(#"{"type": "delay", "for": "1s", "conditions": \#(conditions)}"#)
        #expect(try await rest(of: id, in: bench) == .pending)
    }

    @Test(arguments: [
        #""operations": [{"type": "await", "signal": "s"}, {"type": "value", "value": 1}]"#,
        #""operations": [{"type": "delay", "for": "1h"}, {"type": "value", "value": 1}]"#,
        #""map": {"items": [1, 2], "operation": {"type": "await", "signal": "s"}}"#,
    ])
    func `leaves memory when the others queue for its slot`(members: String) async throws {
        let bench = try await Bench()
        let id = try await bench.submit(#"{"type": "group", "concurrency": 1, \#(members)}"#)
        #expect(try await rest(of: id, in: bench) == .waiting)
    }

    @Test func `ends with all inner operations when cancelled, and records it in the journal`() async throws {
        let bench = try await Bench { call, _ in .json(call.url.hasSuffix("/bad") ? 503 : 200, "{}") }
        let id = try await bench.submit(
            #"""
            {"type": "group", "operations": [
                {"type": "delay", "name": "d", "for": "1h"},
                {"type": "network", "name": "n", "request": "https://x.example/bad", "retry": {"backoff": "1h"}},
                {"type": "group", "name": "m", "map": {"items": [1, 2], "operation": {"type": "delay", "for": "1h"}}},
                {"type": "repeat", "name": "r", "max_runs": 3, "operation": {"type": "delay", "for": "1h"}},
                {"type": "value", "name": "v", "value": 1, "after": ["d"]}]}
            """#)
        _ = try await bench.wait(for: id) { $0 == .waiting }
        _ = try await bench.cancel(id)
        let job = try #require(try bench.store.makeReader().job(id))
        #expect(job.state == .cancelled)
        let views = try bench.views(id)
        #expect(views.keys.sorted() == ["", "d", "m", "m/1", "m/2", "n", "r", "r/1", "v"])
        let isOver = views.mapValues { view in
            view.state == .cancelled && view.finishedAt == job.finishedAt && view.wait == nil
        }
        #expect(isOver.values.allSatisfy { $0 }, "\(isOver)")
        let entries = try bench.store.makeReader().journal(id, after: 0, limit: 1_000).map(\.entry)
        let ended = entries.filter { if case .finished = $0.event { true } else { false } }
        #expect(
            ended.map { $0.path.joined(separator: "/") } == [
                "v", "r/1", "r", "m/2", "m/1", "m", "n", "d", "",
            ])
    }

    /// The state of the job as soon as it neither runs nor will be woken.
    private func rest(of id: JobID, in bench: Bench) async throws -> JobState? {
        let reader = try bench.store.makeReader()
        _ = try await bench.wait(for: id) { $0.isSuspended || $0.isFinal }
        while let state = try reader.job(id)?.state {
            if bench.runner.runningCount == 0, state.isSuspended || state.isFinal { return state }
            await Task.yield()
        }
        return nil
    }
}
