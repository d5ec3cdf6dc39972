import HTTPMessage
import StrictJSON
import Testing
import TestOperations

@testable import JobKit

private struct Plain: Error {}

@Suite struct `An error of an operation's own` {
    private func attempts(
        _ error: @escaping @Sendable () -> any Error,
        _ retry: (ClosureOperation<Void>) -> OperationRecipe<Void>
    ) async -> (Int, OperationEnding) {
        let tries = Record<Int>()
        let queue = AOperationQueue(environment: OperationEnvironment(clock: ManualClock()))
        let work = ClosureOperation("mail") { context in
            tries.append(context.attempt)
            throw error()
        }
        let ending = await queue.add(retry(work)).waitUntilFinished()
        return (tries.all.count, ending)
    }

    @Test func `is retried unless it says that it is not to be`() async {
        let rule = RetrySpec(attemptsMax: 3, backoff: .fixed(.zero), jitter: .none)
        let ways: [(ClosureOperation<Void>) -> OperationRecipe<Void>] = [
            { $0.retry(attempts: 3) }, { $0.retry(rule, method: .get) },
        ]
        for way in ways {
            for (said, count) in [(nil, 3), (true, 3), (false, 1)] as [(Bool?, Int)] {
                let (tries, ending) = await attempts(
                    { AOperationError("smtp.down", detail: "It is down.", retryable: said) }, way)
                #expect(tries == count, "\(String(describing: said))")
                #expect(ending.errors.first?.retryable == (count == 3))
                #expect(ending.errors.first?.retryStoppedBy == (count == 3 ? "attempts" : "policy"))
            }
            #expect(await attempts({ Plain() }, way).0 == 3)
        }
        let decided = await attempts({ AOperationError("smtp.down", detail: "-", retryable: false) }) {
            $0.retry(attempts: 3, when: { _ in true })
        }
        #expect(decided.0 == 3)
    }

    @Test func `is the same in a journal, whether it says no or nothing`() throws {
        let error = AOperationError("smtp.down", detail: "It is down.")
        #expect(!error.retryable)
        #expect(error == AOperationError("smtp.down", detail: "It is down.", retryable: false))
        var writer = JSONWriter()
        error.write(to: &writer)
        #expect(try AOperationError(json: try JSONParser.parse(writer.bytes)) == error)
    }

    @Test func `is a failure when it says that it was cancelled, and nothing asked for that`() async {
        let (tries, ending) = await attempts({ CancellationError() }) { $0.retry(attempts: 2) }
        #expect(tries == 2)
        #expect(ending.state == .failed)
        #expect(ending.errors.first?.code == .unexpected)
        #expect(ending.errors.first?.underlying is CancellationError)
        let queue = AOperationQueue()
        let group = queue.add(
            GroupOperation("group") { $0.add(ClosureOperation("member") { _ in throw CancellationError() }) })
        #expect(await group.waitUntilFinished().state == .failed)
    }
}
