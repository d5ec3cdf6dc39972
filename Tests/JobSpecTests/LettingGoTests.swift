import HTTPMessage
@testable import JobKit
@testable import JobSpec
import StrictJSON
import Testing

/// An object that only one tree retains.
private final class Belonging: Sendable {}

/// A journal that keeps nothing.
private final class Leaf: OperationJournal {
    var fold: JournalFold { JournalFold([]) }

    func record(_ entry: JournalEntry) {}
    func flush() async throws(RunSuspended) {}
    func history(of path: [String]) -> OperationHistory? { nil }
    func note(taken: Set<ByteKey>, freed: Set<ByteKey>, by path: [String]) {}
}

@Suite struct `The tree of a job` {
    private static let own = #"{"type": "value", "name": "own", "value": 1}"#
    private static let late = #"{"type": "value", "name": "late", "value": 1}"#
    private static let wait = #"{"type": "await", "name": "wait", "signal": "go"}"#
    private static let skipped =
        #"{"type": "group", "name": "no", "when": {"$job": "name", "equals": "x"}, "operations": [\#(own)]}"#
    private static let approved =
        #"{"type": "value", "name": "v", "value": 1, "conditions": [{"type": "approval", "prompt": "p"}]}"#
    private static let timed =
        #"{"type": "delay", "name": "d", "for": "1h", "timeouts": {"total": "2h"}, "finish_by": "3h"}"#

    private static func poll(until status: Int) -> String {
        #"{"type": "poll", "name": "p", "request": "https://a.example/", "every": "1h", "#
            + #""until": {"at": "/status", "equals": \#(status)}}"#
    }

    private static func group(_ members: String..., rest: String = "") -> String {
        #"{"type": "group", "name": "in", "operations": [\#(members.joined(separator: ", "))]\#(rest)}"#
    }

    private static func map(_ operation: String) -> String {
        #"{"type": "group", "map": {"items": [1, 2], "operation": \#(operation)}}"#
    }

    private static func runs(of operation: String) -> String {
        #"{"type": "repeat", "max_runs": 3, "every": "1h", "operation": \#(operation)}"#
    }

    @Test(arguments: [
        own, group(own), group(group(own), rest: #", "finally": [\#(own)]"#), map(own), group(skipped),
        group(poll(until: 200)), runs(of: group(own)).replacing(#""every": "1h", "#, with: ""),
    ])
    func `leaves memory when the job is over`(text: String) async throws {
        let belonging = try await run(text) { root in
            while root.core.ending == nil { await Task.yield() }
        }
        try await expectGone(belonging)
    }

    @Test(arguments: [
        wait, group(own, wait), group(own, wait, late, rest: #", "ordered": true"#),
        group(group(wait, rest: #", "finally": [\#(own)]"#)), group(wait, own, rest: #", "concurrency": 1"#),
        map(wait), runs(of: own), group(timed), group(approved), group(poll(until: 999)),
    ])
    func `leaves memory when the job is suspended`(text: String) async throws {
        let belonging = try await run(text) { root in
            while root.idleUntil() == nil { await Task.yield() }
            root.suspend()
        }
        try await expectGone(belonging)
    }

    @Test func `leaves memory when a member was announced and the job is suspended`() async throws {
        let belonging = try await run(Self.group(Self.own, Self.wait)) { root in
            while root.idleUntil() == nil { await Task.yield() }
            #expect(root.reserveMember(in: []))
            root.suspend()
            root.settleMember(in: [], nil)
        }
        try await expectGone(belonging)
    }

    /// A weak reference to an object that the tree retained while it ran.
    private func run(
        _ text: String, _ body: (JobTree.Root) async throws -> Void
    ) async throws -> () -> Belonging? {
        let belonging = Belonging()
        var environment = OperationEnvironment(clock: ManualClock(), transport: SpecRun())
        environment.journal = Leaf()
        environment.digest = { "test:\($0.count)" }
        environment.progress = { [belonging] _, _ in withExtendedLifetime(belonging) {} }
        let root = JobTree(spec: try readSpec(text), environment: environment).start { _ in }
        try await body(root)
        return { [weak belonging] in belonging }
    }

    private func expectGone(_ belonging: () -> Belonging?) async throws {
        for _ in 0..<1_000_000 where belonging() != nil { await Task.yield() }
        #expect(belonging() == nil)
    }
}
