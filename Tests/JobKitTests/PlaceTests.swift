import Synchronization
import Testing
import TestOperations

@testable import JobKit

@Suite struct `A place on a queue` {
    @Test func `ends the suspension of its waiter, before its task resumes`() {
        let executor = StepExecutor()
        var random = SeededRandom(seed: 1)
        let queue = AOperationQueue(
            capacity: 1, environment: OperationEnvironment(clock: ManualClock(), executor: executor))
        let kept = Mutex<[OperationCompletion<Int>]>([])
        func add(_ name: String) -> OperationHandle<Int> {
            queue.add(
                ContinuationOperation<Int>(name) { _, completion in kept.withLock { $0.append(completion) } })
        }
        let first = add("first")
        while executor.step(&random) {}
        let second = add("second")
        while executor.step(&random) {}
        #expect(second.core.idleUntil() == .never)
        kept.withLock { $0.first }?.finish(returning: 1)
        while first.ending == nil, executor.step(&random) {}
        #expect(second.state == .ready)
        #expect(second.core.idleUntil() == nil)
        while executor.step(&random) {}
        #expect(second.state == .executing)
        kept.withLock { $0.last }?.finish(returning: 2)
        while executor.step(&random) {}
    }
}
