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
        let bench = try await Bench()
        let id = try await bench.submit(#"{"type": "delay", "for": "1s", "conditions": \#(conditions)}"#)
        #expect(try await bench.wait(for: id) { $0 == .pending || $0.isFinal }.state == .pending)
        while bench.runner.runningCount > 0 { await Task.yield() }
    }

    @Test(arguments: [
        #""operations": [{"type": "await", "signal": "s"}, {"type": "value", "value": 1}]"#,
        #""operations": [{"type": "delay", "for": "1h"}, {"type": "value", "value": 1}]"#,
        #""map": {"items": [1, 2], "operation": {"type": "await", "signal": "s"}}"#,
    ])
    func `leaves memory when the others stand in line for its place`(members: String) async throws {
        let bench = try await Bench()
        let id = try await bench.submit(#"{"type": "group", "concurrency": 1, \#(members)}"#)
        #expect(try await bench.wait(for: id) { $0 == .waiting || $0.isFinal }.state == .waiting)
        while bench.runner.runningCount > 0 { await Task.yield() }
    }
}
