import Testing
import TestOperations

@testable import JobKit

private struct Doubling: ReceivingOperation {
    func execute(receiving input: Int, in context: OperationContext) async throws -> Int { input * 2 }
}

private struct Pairing: ReceivingOperation {
    typealias Input = (String, Int, Bool)
    func execute(receiving input: Input, in context: OperationContext) async throws -> String {
        "\(input.0) \(input.1) \(input.2)"
    }
}

@Suite struct `What an operation delivers` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test func `is transformed on its way, step by step`() async throws {
        let queue = queue
        let two = queue.add(Giving(2))
        let six = two.map { $0 * 3 }.add(to: queue)
        let text = six.map { "\($0)" }.add(to: queue)
        #expect(try await text.value == "6")
        #expect(try await two.value == 2)
        #expect(try await six.value == 6)
    }

    @Test func `reaches many receivers, also those that come when it is finished`() async throws {
        let queue = queue
        let source = queue.add(Giving(21))
        let first = queue.add(Doubling().receiving(source))
        _ = await source.waitUntilFinished()
        let late = queue.add(Doubling().receiving(source))
        #expect(try await first.value == 42)
        #expect(try await late.value == 42)
        #expect(try await queue.add(Doubling().receiving(value: 4)).value == 8)
    }

    @Test func `comes together from several`() async throws {
        let queue = queue
        let name = queue.add(Giving("Ada"))
        let age = queue.add(Giving(36))
        let isKnown = queue.add(Giving(true))
        #expect(try await queue.add(Pairing().receiving(name, age, isKnown)).value == "Ada 36 true")
        let sum = Doubling().receiving(name, age, isKnown) { $0.count + $1 + ($2 ? 1 : 0) }
        #expect(try await queue.add(sum).value == 80)
        let bad = queue.add(Failing(name: "bad"))
        let skipped = queue.add(Doubling().receiving(age, bad) { age, _ in age })
        #expect(await skipped.waitUntilFinished().state == .skipped)
    }

    @Test func `may be a failure, for those that ask for it, and can be rescued`() async throws {
        let queue = queue
        let bad = queue.add(
            ClosureOperation("bad") { _ -> Int in throw AOperationError("test.bad", detail: "") })
        let plain = await queue.add(Doubling().receiving(bad)).waitUntilFinished()
        #expect(plain.state == .skipped)
        #expect(plain.errors.first?.code == .dependencyFailed)
        #expect(plain.errors.first?.causes.first?.code.description == "test.bad")
        #expect(try await queue.add(bad.rescued { $0.count }).value == 1)
        let mapped = MapOperation<Int, String> { outcome in
            outcome.value.map(String.init) ?? "no: \(outcome.errors[0].code)"
        }
        #expect(try await queue.add(mapped.receivingOutcome(of: bad)).value == "no: test.bad")
        let skipped = queue.add(Giving(1).gated { false })
        #expect(try await queue.add(mapped.receivingOutcome(of: skipped)).value == "no: condition.when_false")
    }

    @Test func `of the wrong type fails the receiver with the reason`() async throws {
        let queue = queue
        let none = queue.add(Giving(Int?.none))
        let missing = await queue.add(Doubling().receiving(required: none)).waitUntilFinished()
        #expect(missing.errors.first?.code == .referenceMissing)
        #expect(try await queue.add(Doubling().receiving(required: none, default: 3)).value == 6)
        let text = queue.add(Giving("text"))
        let type = await queue.add(Doubling().receiving(casting: text)).waitUntilFinished()
        #expect(type.errors.first?.code == .referenceType)
        #expect(type.errors.first?.detail.contains("Int") == true)
        #expect(type.errors.first?.detail.contains("String") == true)
        struct Odd: Error {}
        let thrown = await queue.add(Doubling().receiving(text) { _ in throw Odd() }).waitUntilFinished()
        #expect(thrown.errors.first?.code == .referenceTransform)
        #expect(thrown.errors.first?.publishedError?.domain == "Odd")
    }

    @Test func `is filtered, folded and flattened`() async throws {
        let queue = queue
        let list = queue.add(Giving([1, 2, 3, 4]))
        #expect(try await queue.add(list.filter { $0 > 2 }).value == [3, 4])
        #expect(try await queue.add(list.reduce(into: 0) { $0 += $1 }).value == 10)
        #expect(try await queue.add(list.flatMap { [$0, -$0] }).value == [1, -1, 2, -2, 3, -3, 4, -4])
    }

    @Test func `is gathered in order, and a missing value is named`() async throws {
        let queue = queue
        let handles = [
            queue.add(Giving(1)),
            queue.add(ClosureOperation("bad") { _ -> Int in throw AOperationError("test.bad", detail: "") }),
            queue.add(Giving(3)),
        ]
        let failed = await queue.add(GatherOperation(handles)).waitUntilFinished()
        #expect(failed.errors.first?.code == .referenceMissing)
        #expect(failed.errors.first?.detail.contains("at 1.") == true)
        #expect(failed.errors.first?.causes.map(\.code.description) == ["test.bad"])
        let dropped = try await queue.add(GatherOperation(handles, missing: .drop)).value
        #expect(dropped.values == [1, 3])
        #expect(dropped.missing == [1])
        let null = try await queue.add(GatherOperation(handles, missing: .null)).value
        #expect(null.elements == [1, nil, 3])
    }

    @Test func `by a batch is in the order of the list, however long each took`() async throws {
        let queue = queue
        let batch = BatchOperation<Int, Int>("batch", concurrency: 3) { element, place in
            ClosureOperation("item") { context in
                try await context.clock.sleep(for: .seconds(10 - place))
                return element * 10
            }.recipe
        }
        let handle = queue.add(batch.receiving(value: [1, 2, 3, 4, 5]))
        while handle.ending == nil {
            clock.advance(by: .seconds(1))
            await Task.yield()
        }
        #expect(try await handle.value.values == [10, 20, 30, 40, 50])
        let partly = BatchOperation<Int, Int>("batch", missing: .null) { element, _ in
            ClosureOperation("item") { _ in
                if element == 2 { throw AOperationError("test.two", detail: "") }
                return element
            }.recipe
        }
        let result = try await queue.add(partly.receiving(value: [1, 2, 3])).value
        #expect(result.elements == [1, nil, 3])
        #expect(result.missing == [1])
        let whole = BatchOperation<Int, Void>("batch") { _, _ in Failing().recipe }
        #expect(
            await queue.add(whole.receiving(value: [1])).waitUntilFinished().errors.first?.code
                == .referenceMissing)
        #expect(try await queue.add(whole.receiving(value: [])).value.elements.isEmpty)
        let strict = BatchOperation<Int, Int>("batch", concurrency: 1) { element, _ in
            ClosureOperation("item") { context in
                if element == 2 { throw AOperationError("test.two", detail: "Two is too many.") }
                // The third one may begin before the failure of the second one ends the batch.
                if element == 3 { try await context.clock.sleep(for: .seconds(60)) }
                return element
            }.recipe
        }
        let error = await queue.add(strict.receiving(value: [1, 2, 3])).waitUntilFinished().errors.first
        #expect(error?.detail == "2 of 3 values are missing, at 1, 2. Two is too many.")
        #expect(error?.causes.first?.code == "test.two")
    }

    @Test func `is not cancelled with a receiver, unless the receiver requires it`() async {
        let queue = queue
        let source = queue.add(
            ClosureOperation("source") { context -> Int in
                try await context.clock.sleep(for: .seconds(100))
                return 1
            })
        let plain = queue.add(Doubling().receiving(source))
        let eager = queue.add(Doubling().receiving(source).cancellingUpstream())
        plain.cancel()
        #expect(!source.core.isStopRequested)
        let other = queue.add(Doubling().receiving(source))
        eager.cancel()
        #expect(!source.core.isStopRequested)
        other.cancel()
        let last = queue.add(Doubling().receiving(source).cancellingUpstream())
        last.cancel()
        #expect(await source.waitUntilFinished().state == .cancelled)
    }
}

@Suite struct `A chain of operations` {
    let clock = ManualClock()
    var queue: AOperationQueue { AOperationQueue(environment: OperationEnvironment(clock: clock)) }

    @Test(arguments: [false, true])
    func `is tried again as a whole, or from the link that failed`(resumes: Bool) async throws {
        let ran = Record<String>()
        let tries = Record<Int>()
        let chain = ClosureOperation("one") { _ in
            ran.append("one")
            return 1
        }
        .then("two") { value, _ in
            ran.append("two")
            return value + 1
        }
        .finally("note") { _, _ in ran.append("note") }
        .then("three") { value, _ in
            ran.append("three")
            tries.append(1)
            if tries.all.count < 3 { throw AOperationError("test.flaky", detail: "Not yet.") }
            return value + 1
        }
        .then("four") { value, _ in value + 1 }
        let handle = queue.add(chain.operation("chain", resumes: resumes).retry(attempts: 5))
        #expect(try await handle.value == 4)
        let anew = ["one", "two", "note", "three"]
        #expect(ran.all == anew + (resumes ? ["three", "three"] : anew + anew))
    }

    @Test func `reads from top to bottom`() async throws {
        let seen = Record<String>()
        let handle = Giving(20)
            .priority(7)
            .then(Doubling())
            .then("text") { value, _ in "\(value)!" }
            .finally { outcome, _ in seen.append(outcome.value ?? "?") }
            .add(to: queue)
        #expect(try await handle.value == "40!")
        #expect(seen.all == ["40!"])
    }

    @Test func `lets failure and cancellation travel down apart, and its end always runs`() async {
        let queue = queue
        let seen = Record<JobState>()
        let origins = Record<String>()
        let failed = ClosureOperation("begin") { _ -> Int in throw AOperationError("test.begin", detail: "") }
            .then(Doubling()).then(Doubling())
            .finally { outcome, _ in
                seen.append(outcome.state)
                origins.append(outcome.origin?.code.description ?? "?")
            }
            .add(to: queue)
        #expect(await failed.waitUntilFinished().state == .skipped)
        let begin = queue.add(Endless(name: "begin"))
        let stopped = begin.map { 1 }.then(Doubling())
            .finally { outcome, _ in seen.append(outcome.state) }.add(to: queue)
        begin.cancel()
        #expect(await stopped.waitUntilFinished().state == .cancelled)
        #expect(seen.all == [.skipped, .cancelled])
        #expect(origins.all == ["test.begin"])
    }

    @Test func `is stopped as one, and fails with the original error`() async {
        let queue = queue
        let seen = Record<JobState>()
        let whole = queue.add(
            Endless(name: "begin").then("next") { _, _ in 1 }
                .finally { outcome, _ in seen.append(outcome.state) }
                .operation("whole"))
        await clock.waitForSleepers()
        whole.cancel()
        #expect(await whole.waitUntilFinished().state == .cancelled)
        #expect(seen.all == [.cancelled])
        let failed = queue.add(Failing(name: "begin").then("next") { _, _ in 1 }.operation("whole"))
        let errors = await failed.waitUntilFinished().errors
        #expect(errors.map(\.code.description) == ["test.failed"])
        #expect(errors.map(\.path) == [["whole", "begin"]])
    }

    @Test func `keeps both errors when its end fails, too`() async {
        let handle = Giving(1).chain
            .finally("end") { _, _ in throw AOperationError("test.end", detail: "") }.add(to: queue)
        #expect(await handle.waitUntilFinished().errors.map(\.code.description) == ["test.end"])
        let both = ClosureOperation("begin") { _ -> Int in throw AOperationError("test.begin", detail: "") }
            .chain
            .finally("end") { _, _ in throw AOperationError("test.end", detail: "") }.add(to: queue)
        #expect(await both.waitUntilFinished().errors.map(\.code.description) == ["test.begin", "test.end"])
    }
}
