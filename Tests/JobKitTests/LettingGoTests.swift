import HTTPMessage
import Synchronization
import Testing
import TestOperations

@testable import JobKit

/// Lives as long as something refers to it.
private final class Witness: Sendable {}

private struct Seeing: OperationObserver {
    let witness: Witness
    func operation(_ operation: OperationInfo, did event: OperationEvent) {}
}

private struct Asking: OperationCondition {
    let witness: Witness
    func evaluate(in context: ConditionContext) async -> ConditionVerdict { .satisfied }
}

/// Waits until nothing refers to an object, as long as other tests may keep the tasks that release it from running.
private func isReleased(_ isThere: () -> Bool) async -> Bool {
    for _ in 0..<3_000 where isThere() { try? await Task.sleep(for: .milliseconds(10)) }
    return !isThere()
}

@Suite struct `A finished operation` {
    /// Whether what `recipe` got lives once the operation is over and its handle is still there.
    private func survives(_ recipe: (Witness, OperationHandle<Int>) -> OperationRecipe<Int>) async -> Bool {
        let queue = AOperationQueue()
        let before = queue.add(Giving(1))
        weak var kept: Witness?
        let handle: OperationHandle<Int>
        do {
            let witness = Witness()
            kept = witness
            handle = queue.add(recipe(witness, before))
        }
        _ = await handle.waitUntilFinished()
        await queue.waitUntilDrained()
        let isGone = await isReleased { kept != nil }
        return withExtendedLifetime(handle) { !isGone }
    }

    @Test func `lets its observers, conditions, hooks and closures go, however it ended`() async {
        let uses: [(String, @Sendable (Witness, OperationHandle<Int>) -> OperationRecipe<Int>)] = [
            ("work", { seen, _ in ClosureOperation { _ in withExtendedLifetime(seen) { 1 } }.recipe }),
            ("observer", { Giving(1).after($1).observer(Seeing(witness: $0)) }),
            ("condition", { Giving(1).after($1).condition(Asking(witness: $0)) }),
            ("gate", { seen, _ in Giving(1).gated { withExtendedLifetime(seen) { true } } }),
            (
                "hooks",
                { seen, _ in
                    Giving(1).willExecute { _ in withExtendedLifetime(seen) { .proceed } }
                        .willFinish { _, _ in withExtendedLifetime(seen) {} }
                }
            ),
            (
                "retry",
                { seen, _ in Giving(1).retry(attempts: 2) { _ in withExtendedLifetime(seen) { true } } }
            ),
            ("finish", { seen, _ in Giving(1).onFinish { _, _ in withExtendedLifetime(seen) {} } }),
            (
                "source",
                { seen, other in
                    other.map { value in withExtendedLifetime(seen) { value } }.onStart { $0.cancel() }
                }
            ),
        ]
        for (name, use) in uses { #expect(!(await survives(use)), "\(name)") }
    }

    @Test func `lets the one that produced it go`() async {
        let queue = AOperationQueue()
        weak var producer: OperationCore?
        let made = Mutex<OperationHandle<Int>?>(nil)
        do {
            let outer = queue.add(
                ClosureOperation("outer") { context in
                    let inner = context.produce(Giving(1))
                    made.withLock { $0 = inner }
                })
            producer = outer.core
            _ = await outer.waitUntilFinished()
        }
        await queue.waitUntilDrained()
        #expect(await isReleased { producer != nil })
        #expect(made.withLock { $0 }?.ending?.state == .succeeded)
    }
}

@Suite struct `The events of a handle` {
    @Test(.timeLimit(.minutes(1))) func `are kept for none that has left`() async throws {
        let queue = AOperationQueue()
        let (latch, other, isOver) = (Latch(), Latch(), Latch())
        let handle = queue.add(
            ClosureOperation("work") { context in
                await latch.wait()
                context.report(OperationProgress(completed: 1))
                await other.wait()
            })
        let reader = Task {
            for await _ in handle.events {}
            isOver.open()
        }
        while handle.core.feed.observers.isEmpty { await Task.yield() }
        reader.cancel()
        await isOver.wait()
        #expect(handle.core.feed.observers.isEmpty)
        do {
            let events = handle.events
            latch.open()
            for await event in events { if case .progress = event.kind { break } }
        }
        #expect(handle.core.feed.observers.isEmpty)
        other.open()
        try await handle.value
    }

    @Test func `come once each, and a gap in their numbers tells of lost ones`() async throws {
        let queue = AOperationQueue()
        let latch = Latch()
        let handle = queue.add(
            ClosureOperation("work") { context in
                await latch.wait()
                for number in 0..<20_000 { context.report(OperationProgress(completed: Int64(number))) }
            })
        let events = handle.events
        latch.open()
        _ = await handle.waitUntilFinished()
        var numbers: [Int] = []
        for await event in events { numbers.append(event.sequence) }
        #expect(numbers.count == 10_000)
        #expect(numbers == Array(Set(numbers)).sorted())
        let (first, last) = (try #require(numbers.first), try #require(numbers.last))
        #expect(last - first == 9_999)
        #expect(first > 10_000)
    }
}
