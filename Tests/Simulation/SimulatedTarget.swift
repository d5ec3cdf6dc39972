import HTTPMessage
import JobKit
import JobStore
import MemoryStore

// DESIGN
// The upstream of all calls. Each operation has its own URL, so that its calls can be counted. The operation's plan
// lists the upstream's reactions; the next one counts once an answer has reached a living server.

/// One operation as the upstream and the disk know it.
// Safe because everything of a simulation happens on one thread.
final class OperationLedger: @unchecked Sendable {
    let job: JobCase
    let path: [String]
    let plan: OperationPlan
    /// The exclusive keys of the operation, each with the operation that needs it.
    let keys: [(key: String, owner: String)]
    /// The number of reactions used.
    var played = 0
    /// The total number of calls.
    var calls = 0
    /// The counted calls of this try, and calls of which a crash or a fault left nothing in the journal.
    var callsOfTry = 0
    var lostCalls = 0
    /// The calls since the journal's last end of an attempt.
    var unsettled = 0
    /// Whether a call of this try may have had an unknown effect.
    var isInDoubt = false
    /// The durable facts: an open attempt, and the end of the operation.
    var isAttemptOpen = false
    /// Whether a run of this try ended without a durable end of an attempt, whether its call began or not.
    var wasCutOff = false
    var isFinished = false
    var isSucceeded = false

    init(job: JobCase, path: [String], plan: OperationPlan, keys: [(key: String, owner: String)]) {
        self.job = job
        self.path = path
        self.plan = plan
        self.keys = keys
    }

    var name: String { "\(job.name)/\(path.joined(separator: "/"))" }

    /// Drops what is not durable at the end of a run.
    func interrupt() {
        if isAttemptOpen { wasCutOff = true }
        guard unsettled > 0 else { return }
        lostCalls += unsettled
        unsettled = 0
        isInDoubt = true
    }

    /// A retry by a person, which includes this operation unless it succeeded, and `finally` operations always.
    func beginAnew() {
        let isDoneAgain = job.group(doingFinally: self).map { !$0.isSucceeded } ?? false
        guard !isSucceeded || isDoneAgain else { return }
        isSucceeded = false
        callsOfTry = 0
        unsettled = 0
        lostCalls = 0
        isFinished = false
        isInDoubt = false
        isAttemptOpen = false
        wasCutOff = false
    }
}

/// The transport of one life of the server.
// Safe because everything of a simulation happens on one thread.
final class SimulatedTransport: Transport, @unchecked Sendable {
    private let world: World
    private let cases: CaseBook
    private let side: SharedSide?
    private let disk: Disk
    /// The owner of the claims of this life.
    var owner: () -> OwnerID? = { nil }
    /// Whether calls are no longer permitted.
    var isClosed = false
    private(set) var openCalls = 0
    private(set) var callCount = 0
    private var isDead = false

    init(world: World, disk: Disk, cases: CaseBook, side: SharedSide?) {
        self.world = world
        self.disk = disk
        self.side = side
        self.cases = cases
    }

    func die() { isDead = true }

    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        guard let operation = cases.operation(at: call.url) else { return try await answerStranger(call) }
        if isDead { throw Self.failure("cancelled.transport", .connect, .notSent) }
        let open = begin(operation)
        let behaviour = operation.nextBehaviour
        let latency = latency(behaviour, call)
        let isCut = await wait(for: latency)
        end(open)
        if isCut || isDead || open.fence != operation.job.fence {
            throw Self.failure("cancelled.transport", .wait, .sentUnknown)
        }
        operation.played += 1
        world.note(
            5, operation.job.number, operation.played, "\(tag)answer to \(operation.name): \(behaviour)")
        if behaviour.leavesDoubt { operation.isInDoubt = true }
        return try answer(behaviour, operation)
    }

    /// Answers a call that belongs to no planned operation.
    private func answerStranger(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        guard let stranger = cases.stranger, !isDead else {
            throw Self.failure("connect.refused", .connect, .notSent)
        }
        openCalls += 1
        callCount += 1
        let (status, body) = stranger(call)
        world.note(4, status, 0, "\(tag)call of \(call.url): \(status)")
        let isCut = await wait(for: Int64(world.dice.among(200...90_000)))
        openCalls -= 1
        if isCut || isDead { throw Self.failure("cancelled.transport", .wait, .sentUnknown) }
        return Self.answer(status, body)
    }

    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {}

    private func latency(_ behaviour: Behaviour, _ call: HTTPCall) -> Int64 {
        if behaviour == .silent { return call.firstByteTimeout.microseconds }
        switch world.dice.below(10) {
        case 0..<6: return Int64(world.dice.among(200...5_000))
        case 6..<9: return Int64(world.dice.among(5_000...300_000))
        default:
            // Among servers also long enough for others to act meanwhile.
            let most = side == nil ? 900_000 : max(900_000, call.firstByteTimeout.microseconds * 9 / 10)
            return Int64(world.dice.among(300_000...Int(most)))
        }
    }

    private func answer(_ behaviour: Behaviour, _ operation: OperationLedger) throws(HTTPCallFailure)
        -> HTTPCallAnswer
    {
        switch behaviour {
        case .good: return Self.answer(200, "{\"done\":true,\"from\":\"\(operation.name)\"}")
        case .notYet: return Self.answer(200, "{\"done\":false}")
        case .status(let status, let after):
            return Self.answer(status, "{}", after.map { [("Retry-After", String($0))] } ?? [])
        case .refused: throw Self.failure("connect.refused", .connect, .notSent)
        case .reset: throw Self.failure("connect.reset", .wait, .sentUnknown)
        case .silent: throw Self.failure("timeout.first_byte", .wait, .sentUnknown)
        }
    }

    private static func answer(_ status: Int, _ text: String, _ fields: [(name: String, value: String)] = [])
        -> HTTPCallAnswer
    {
        HTTPCallAnswer(
            status: status, fields: [("Content-Type", "application/json")] + fields, body: Array(text.utf8),
            exchange: HTTPCallExchange())
    }

    private static func failure(_ code: String, _ phase: HTTPCallPhase, _ delivery: HTTPCallDelivery)
        -> HTTPCallFailure
    {
        HTTPCallFailure(code: code, detail: "simulated", phase: phase, delivery: delivery)
    }

    /// Sleeps. Returns true when the task was cancelled first.
    private func wait(for microseconds: Int64) async -> Bool {
        let pause = Pause()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                pause.begin(continuation)
                world.after(microseconds) { pause.end(isCut: false) }
            }
        } onCancel: {
            pause.end(isCut: true)
        }
    }

    // MARK: What must hold

    private var tag: String { side?.machine.tag ?? "" }

    private func begin(_ operation: OperationLedger) -> OpenCall {
        openCalls += 1
        callCount += 1
        world.note(4, operation.job.number, operation.calls, "\(tag)call of \(operation.name)")
        if isClosed { world.fail("a call of \(operation.name) began after the drain was over") }
        if cases.calls.isInFlight(operation) {
            world.fail("two calls of \(operation.name) are in flight at once")
        }
        if side != nil, operation.job.owner != owner() {
            world.fail("a call of \(operation.name) began on a server that does not have the job")
        }
        if operation.isFinished { world.fail("a call of \(operation.name) began although it is finished") }
        if let call = operation.plan.call, !call.mayRepeat {
            if !operation.isAttemptOpen {
                world.fail("an unrepeatable call of \(operation.name) began before its start was durable")
            }
            if operation.isInDoubt {
                world.fail("an unrepeatable call of \(operation.name) that may have arrived was repeated")
            }
        }
        operation.calls += 1
        operation.callsOfTry += 1
        operation.unsettled += 1
        checkAttempts(operation)
        for (key, owner) in operation.keys {
            if let holder = cases.calls.holder(of: key, besides: owner) {
                world.fail("\(operation.name) calls while \(holder) has the exclusive key \(key)")
            }
        }
        let maker = owner()
        let call = OpenCall(operation: operation, fence: operation.job.fence) { [world, disk, side] in
            side == nil || maker.map { disk.truth.isAlive($0, at: world.now) } ?? false
        }
        cases.calls.add(call)
        return call
    }

    /// Calls do not exceed the permitted attempts, not counting lost ones and those that led to a further poll.
    private func checkAttempts(_ operation: OperationLedger) {
        guard let call = operation.plan.call, case .call = operation.plan.kind else { return }
        if operation.callsOfTry > call.attemptsMax + operation.lostCalls {
            world.fail(
                "\(operation.callsOfTry) calls of \(operation.name), which has \(call.attemptsMax) attempts, "
                    + "\(operation.lostCalls) lost")
        }
    }

    private func end(_ call: OpenCall) {
        openCalls -= 1
        cases.calls.remove(call)
    }
}

extension OperationLedger {
    /// The upstream's reaction to the next call.
    var nextBehaviour: Behaviour {
        guard let call = plan.call, played < call.behaviours.count else { return .good }
        return call.behaviours[played]
    }
}

/// A task that waits for an answer.
// Safe because everything of a simulation happens on one thread.
private final class Pause: @unchecked Sendable {
    private var continuation: CheckedContinuation<Bool, Never>?
    private var isOver = false

    func begin(_ continuation: CheckedContinuation<Bool, Never>) {
        if isOver { return continuation.resume(returning: true) }
        self.continuation = continuation
    }

    func end(isCut: Bool) {
        isOver = true
        continuation?.resume(returning: isCut)
        continuation = nil
    }
}
