import JobKit

/// An operation: a value with a function. This one fails until its third attempt.
struct Toss: AOperation {
    let wanted: String

    func execute(in context: OperationContext) async throws -> String {
        guard context.attempt >= 3 else {
            throw AOperationError("toss.wrong_side", detail: "It is not \(wanted).")
        }
        return wanted
    }
}

/// An operation that needs what another one produced.
struct Announce: ReceivingOperation {
    func execute(receiving side: String, in context: OperationContext) async throws -> String {
        "It is \(side)."
    }
}

/// A condition: says whether an operation may be executed, or why not.
struct EnoughCoins: OperationCondition {
    let coins: Int

    func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        if coins > 0 { return .satisfied }
        return .failed(AOperationError("toss.no_coin", detail: "\(context.operation) needs a coin."))
    }
}

/// An observer: is told what happens.
struct Narrator: OperationObserver {
    func operation(_ operation: OperationInfo, did event: OperationEvent) {
        switch event.kind {
        case .started: print("\(operation.name) begins")
        case .attemptFailed(let number, let error, _): print("attempt \(number): \(error.detail)")
        case .finished(let ending): print("\(operation.name) \(ending.state.rawValue)")
        default: break
        }
    }
}

let queue = AOperationQueue(capacity: 2)
let toss = queue.add(
    Toss(wanted: "heads")
        .condition(EnoughCoins(coins: 1))
        .retry(attempts: 5, backoff: .fixed(.milliseconds(10)))
        .timeout(.seconds(5))
        .observer(Narrator()))
let announcement = queue.add(Announce().receiving(toss))
print(try await announcement.value)

let poor = queue.add(Toss(wanted: "tails").condition(EnoughCoins(coins: 0)))
do { print(try await poor.value) } catch { print("\(error.code): \(error.detail)") }
