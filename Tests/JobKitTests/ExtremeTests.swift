import Testing
import TestOperations

@testable import JobKit

@Suite struct `The most and the least` {
    @Test(arguments: [Duration.seconds(Int64.max), .seconds(Int64.max / 2_000), .seconds(1 << 40)])
    func `of a time is no limit, and no trap`(long: Duration) async throws {
        for clock in [SystemClock(), ManualClock()] as [any OperationClock] {
            let queue = AOperationQueue(environment: OperationEnvironment(clock: clock))
            let value = queue.add(
                Giving(1).timeout(long).deadline(after: long).grace(long)
                    .observer(TimeoutObserver(.interval(long)))
                    .willExecute(limit: long) { _ in .proceed })
            #expect(try await value.value == 1)
            let nap = queue.add(DelayOperation(.after(long)))
            let later = queue.add(DelayOperation(.afterSubmission(long)))
            while nap.state != .executing || later.state != .executing { await Task.yield() }
            for _ in 0..<20 { await Task.yield() }
            nap.cancel()
            later.cancel()
            #expect(await nap.waitUntilFinished().state == .cancelled)
            #expect(await later.waitUntilFinished().state == .cancelled)
        }
    }

    @Test func `of waits between attempts is a year at most`() {
        let (most, year) = (Duration.seconds(Int64.max), Duration.seconds(366 * 86_400))
        for backoff in [
            RetrySpec.Backoff.fixed(most), .linear(initial: most, step: most, max: most),
            .exponential(initial: most, factor: 1e300, max: most),
            .exponential(initial: .milliseconds(1), factor: 1e300, max: most),
            .exponential(initial: .seconds(1), factor: .nan, max: most), .schedule([most]),
        ] {
            #expect(
                RetrySpec(attemptsMax: 9, backoff: backoff, jitter: .none).delay(beforeAttempt: 9) == year)
        }
        let none = RetrySpec.Backoff.linear(
            initial: .seconds(Int64.min), step: .seconds(Int64.min), max: most)
        #expect(RetrySpec(attemptsMax: 9, backoff: none, jitter: .none).delay(beforeAttempt: 9) == .zero)
    }

    @Test(.timeLimit(.minutes(1))) func `of a capacity is 0, with which nothing runs until it is raised`()
        async throws
    {
        let queue = AOperationQueue(capacity: 0)
        let ran = Record<Int>()
        let one = queue.add(ClosureOperation("one") { _ in ran.append(1) })
        while !one.explain().description.contains("capacity is 0") { await Task.yield() }
        // The group waits behind it, since it would keep the slot for ever.
        let group = queue.add(
            GroupOperation("group", concurrency: 0) { scope in
                scope.add(ClosureOperation("member") { _ in ran.append(2) })
            })
        for _ in 0..<50 { await Task.yield() }
        #expect(ran.all == [])
        queue.capacity = 1
        try await one.value
        while group.state != .executing { await Task.yield() }
        for _ in 0..<50 { await Task.yield() }
        #expect(ran.all == [1])
        group.members?.concurrency = 1
        try await group.value
        #expect(ran.all == [1, 2])
    }

    @Test(.timeLimit(.minutes(1)))
    func `of a capacity keeps work that waited meanwhile from nothing`() async throws {
        let queue = AOperationQueue(capacity: 1)
        let other = AOperationQueue()
        let (waits, mayEnd) = (Latch(), Latch())
        let slow = other.add(ClosureOperation("slow") { _ in await mayEnd.wait() })
        let work = queue.add(
            ClosureOperation("work") { _ in
                waits.open()
                try await slow.value
                return 7
            })
        await waits.wait()
        queue.capacity = 0
        mayEnd.open()
        #expect(try await work.value == 7)
    }

    @Test(.timeLimit(.minutes(1))) func `of a chain is as long as wanted`() async throws {
        let queue = AOperationQueue(capacity: 0)
        var chain = Giving(0).chain
        for _ in 0..<100_000 { chain = chain.then { value, _ in value + 1 } }
        let last = queue.add(ClosureOperation("short") { _ in 1 }.then { value, _ in value + 1 }.operation())
        queue.capacity = nil
        #expect(try await last.value == 2)
        #expect(try await chain.add(to: AOperationQueue()).value == 100_000)
        let copy = chain
        chain = Giving(0).chain
        _ = copy.then { value, _ in value }
    }
}
