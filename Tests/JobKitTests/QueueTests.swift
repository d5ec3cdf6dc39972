import Testing
import TestOperations

@testable import JobKit

@Suite struct `An operation on a queue` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `gives its value`() async throws {
        let handle = queue.add(Giving(42))
        #expect(try await handle.value == 42)
        #expect(handle.state == .finished)
        #expect(handle.ending?.state == .succeeded)
    }

    @Test func `keeps the origin of its error`() async throws {
        let handle = queue.add(Failing(name: "loader"))
        let error = await #expect(throws: AOperationError.self) { try await handle.value }
        #expect(error?.code.description == "test.failed")
        #expect(error?.stage == .execution)
        #expect(error?.publisher == "loader")
        #expect(error?.path == ["loader"])
        #expect(error?.attempt == 1)
        #expect(handle.ending?.errors.count == 1)
    }

    @Test func `wraps a foreign error and shows its text`() async {
        struct Foreign: Error {}
        let handle = queue.add(ClosureOperation("b") { _ in throw Foreign() })
        let error = await handle.waitUntilFinished().errors.first
        #expect(error?.code == .unexpected)
        #expect(error?.publishedError?.domain == "Foreign")
    }

    @Test func `runs after its dependencies`() async throws {
        let queue = queue
        let order = Record<String>()
        let first = Latch()
        let a = queue.add(
            ClosureOperation("a") { _ in
                await first.wait()
                order.append("a")
            })
        let b = queue.add(ClosureOperation("b") { _ in order.append("b") }.after(a))
        #expect(b.state == .pending)
        first.open()
        try await b.value
        #expect(order.all == ["a", "b"])
    }

    @Test func `is skipped with the reason when a dependency failed`() async {
        let queue = queue
        let a = queue.add(Failing(name: "a"))
        let b = queue.add(Giving(1, name: "b").after(a))
        let c = queue.add(Giving(1, name: "c").after(b))
        let endings = (await b.waitUntilFinished(), await c.waitUntilFinished())
        #expect(endings.0.state == .skipped)
        #expect(endings.0.errors.first?.code == .dependencyFailed)
        #expect(endings.0.errors.first?.causes.first?.publisher == "a")
        #expect(endings.1.errors.first?.code == .dependencySkipped)
    }

    @Test func `runs in any case for an edge on "finished", and only after a failure for "failed"`()
        async throws
    {
        let queue = queue
        let a = queue.add(Failing(name: "a"))
        let b = queue.add(Giving(1, name: "b").after(a, on: .finished))
        let c = queue.add(Giving(2, name: "c").after(a, on: .failed))
        let d = queue.add(Giving(3, name: "d").after(b, on: .failed))
        #expect(try await b.value == 1)
        #expect(try await c.value == 2)
        #expect(await d.waitUntilFinished().state == .skipped)
    }

    @Test func `receives the value of another`() async throws {
        struct Greeting: ReceivingOperation {
            func execute(receiving input: String, in context: OperationContext) async throws -> String {
                "Hello, \(input)"
            }
        }
        let queue = queue
        let name = queue.add(Giving("Ada"))
        #expect(try await queue.add(Greeting().receiving(name)).value == "Hello, Ada")
        #expect(try await queue.add(Greeting().receiving(name)).value == "Hello, Ada")
    }

    @Test func `never exceeds the capacity`() async {
        let queue = AOperationQueue(capacity: 2, environment: OperationEnvironment(clock: clock))
        let gauge = Gauge()
        for _ in 0..<50 {
            queue.add(
                ClosureOperation { _ in await gauge.visit(with: 2) })
        }
        await queue.waitUntilDrained()
        #expect(gauge.most == 2)
    }

    @Test func `begins by priority when capacity is short`() async {
        let queue = AOperationQueue(capacity: 1, environment: OperationEnvironment(clock: clock))
        let order = Record<Int>()
        let gate = Latch()
        queue.isSuspended = true
        for priority in [1, 9, 5] {
            queue.add(ClosureOperation { _ in order.append(priority) }.priority(priority))
        }
        let holder = AOperationQueue()
        holder.add(ClosureOperation { _ in gate.open() })
        await gate.wait()
        #expect(order.all.isEmpty)
        queue.isSuspended = false
        await queue.waitUntilDrained()
        #expect(Set(order.all) == [1, 5, 9])
    }

    @Test func `informs its observers in order, about its end once`() async throws {
        let seen = Record<String>()
        let observer = ClosureObserver { info, event in
            switch event.kind {
            case .submitted: seen.append("\(event.sequence) submitted \(info.name)")
            case .started: seen.append("\(event.sequence) started")
            case .attemptFailed(let number, _, _): seen.append("\(event.sequence) attempt \(number) failed")
            case .cancelRequested: seen.append("\(event.sequence) cancel requested")
            case .finished(let ending): seen.append("\(event.sequence) finished \(ending.state.rawValue)")
            default: seen.append("\(event.sequence) \(event.kind)".prefix { $0 != "(" }.description)
            }
        }
        let handle = queue.add(Giving(1, name: "x").observer(observer))
        _ = try await handle.value
        await handle.toldForTest()
        #expect(
            seen.all == [
                "1 submitted x", "2 willExecute", "3 started", "4 attemptStarted", "5 willFinish",
                "6 finished succeeded",
            ])
    }

    @Test func `gives a late listener the end at once`() async throws {
        let handle = queue.add(Giving(1))
        _ = try await handle.value
        var kinds = 0
        for await event in handle.events {
            if case .finished = event.kind { kinds += 1 }
        }
        #expect(kinds == 1)
    }
}

extension OperationHandle {
    /// Waits until the observers, which must be there from the beginning, were told of everything: another thread may
    /// still be telling them when the value is there.
    func toldForTest() async {
        while !core.feed.observers.isEmpty { await Task.yield() }
    }
}
