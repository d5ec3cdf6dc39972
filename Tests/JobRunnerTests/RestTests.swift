import EventIO
import JobKit
import Testing

@testable import JobRunner
@testable import JobStore

@Suite struct `A job of which only waits are left` {
    @Test(arguments: [
        #"[{"type": "expression", "that": {"$job": "priority", "equals": 5}}, {"type": "approval", "prompt": "p"}]"#,
        #"[{"type": "approval", "prompt": "p"}, {"type": "reachability", "url": "https://x.example/"}]"#,
        #"[{"type": "any", "conditions": [{"type": "approval", "prompt": "p"}, "#
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
    func `leaves memory when the others stand in line for its place`(members: String) async throws {
        let bench = try await Bench()
        let id = try await bench.submit(#"{"type": "group", "concurrency": 1, \#(members)}"#)
        #expect(try await rest(of: id, in: bench) == .waiting)
    }

    /// Where the job stands as soon as nobody runs it and nothing wakes it any more.
    private func rest(of id: JobID, in bench: Bench) async throws -> JobState? {
        let reader = try bench.store.makeReader()
        _ = try await bench.wait(for: id) { $0.isPutDown || $0.isFinal }
        while let state = try reader.job(id)?.state {
            if bench.runner.runningCount == 0, state.isPutDown || state.isFinal { return state }
            await Task.yield()
        }
        return nil
    }
}
