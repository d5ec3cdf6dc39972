@testable import JobKit
@testable import JobSpec
import StrictJSON
import Testing
import TestOperations

@Suite struct `A tree in which nothing can go on` {
    private let executor = StepExecutor()
    private let inbox = JobInbox()
    private let hold = TreeHold()

    private func start(_ text: String) throws -> JobTree.Root {
        var environment = OperationEnvironment(clock: ManualClock(), executor: executor)
        environment.inbox = inbox
        environment.hold = hold
        return JobTree(spec: try readSpec(text), environment: environment).start { _ in }
    }

    private func runReady() {
        var random = SeededRandom(seed: 1)
        while executor.step(&random) {}
    }

    @Test func `is busy once a message is there, before the task that waits for it goes on`() throws {
        let root = try start(#"{"type": "await", "signal": "go"}"#)
        runReady()
        #expect(root.idleUntil() == .never)
        inbox.deliver(JobMessage(by: "ada", content: .signal(name: "go", value: 1)))
        #expect(root.idleUntil() == nil)
        runReady()
        #expect(root.core.ending?.state == .succeeded)
    }

    @Test func `is busy once it is released, before the task that waits for that goes on`() throws {
        hold.isHeld = true
        let root = try start(#"{"type": "value", "value": 1}"#)
        runReady()
        #expect(root.idleUntil() == .never)
        hold.isHeld = false
        #expect(root.idleUntil() == nil)
        runReady()
        #expect(root.core.ending?.state == .succeeded)
    }

    @Test(arguments: 0...12)
    func `is busy once a message is there or it is released, after any number of steps`(_ count: Int) throws {
        let waits = try start(#"{"type": "await", "signal": "go"}"#)
        var random = SeededRandom(seed: 1)
        for _ in 0..<count { _ = executor.step(&random) }
        inbox.deliver(JobMessage(by: "ada", content: .signal(name: "go", value: 1)))
        #expect(waits.idleUntil() == nil)
        runReady()
        #expect(waits.core.ending?.state == .succeeded)

        hold.isHeld = true
        let held = try start(#"{"type": "value", "value": 1}"#)
        for _ in 0..<count { _ = executor.step(&random) }
        hold.isHeld = false
        #expect(held.idleUntil() == nil)
        runReady()
        #expect(held.core.ending?.state == .succeeded)
    }

    @Test(arguments: UInt64(1)...40)
    func `does not include one with final operations, at any step`(_ seed: UInt64) throws {
        let root = try start(
            #"""
            {"type": "group", "concurrency": 1, "operations": [
              {"type": "value", "name": "a", "value": 1}, {"type": "value", "name": "b", "value": 2, "after": ["a"]},
              {"type": "group", "operations": [{"type": "value", "value": 1}], "finally": [{"type": "value", "value": 2}]}],
             "finally": [{"type": "value", "value": 3}, {"type": "value", "value": 4}]}
            """#)
        var random = SeededRandom(seed: seed)
        while executor.step(&random) {
            // Nothing in it waits for a date or an event: what begins next may take a moment.
            if root.core.ending == nil { #expect(root.idleUntil() == nil) }
        }
        #expect(root.core.ending?.state == .succeeded)
    }

    @Test func `goes no further once it is suspended`() throws {
        let root = try start(#"{"type": "group", "operations": [{"type": "await", "signal": "go"}]}"#)
        runReady()
        root.suspend()
        inbox.deliver(JobMessage(by: "ada", content: .signal(name: "go", value: 1)))
        runReady()
        #expect(root.core.isSuspended)
        #expect(root.core.ending?.state == .cancelled)
    }
}
