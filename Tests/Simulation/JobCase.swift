import HTTPMessage
import JobKit
import JobSpec
import JobStore

/// One simulated job: its plan, the actions of people on it, and its durable state.
// Safe because everything of a simulation happens on one thread.
final class JobCase: @unchecked Sendable {
    let number: Int
    let root: OperationPlan
    let spec: [UInt8]
    /// The idempotency key of a repeated submission; nil when it is not repeated.
    let key: String?
    let startDelay: Duration?
    let priority: Int
    let queueTimeout: Duration?
    let unique: JobSpec.Unique?
    let hasCallbacks: Bool
    /// Whether it waits in the queue with limits.
    let isNarrow: Bool
    private(set) var operations: [OperationLedger] = []

    /// The id that was acknowledged.
    var acknowledged: JobID?
    /// Every id that may have reached the disk.
    var candidates: [JobID] = []
    /// Whether a cancellation was requested, perhaps without an answer.
    var wasCancelled = false
    var wasRetried = false
    var isErased = false
    /// Whether every signal that it may wait for was acknowledged.
    var hasSignal = false

    /// The durable state.
    var state: JobState?
    var fence: Int64 = 0
    /// The owner of its last claim.
    var owner: OwnerID?
    var dueAt: Timestamp?
    /// The ends of the job, in order.
    var ends: [JobEnd] = []
    /// The number of crashes while it ran. From two on it may run apart from others, and so later.
    var deaths = 0
    /// Whether it may be failed without being run.
    var mayBeEndedUnrun: Bool { deaths >= 4 }
    /// The time of its last change of state, in microseconds.
    var since: Int64 = 0

    init(number: Int, root: OperationPlan, dice: inout Dice) {
        self.number = number
        self.root = root
        key = dice.hits(75) ? "key-\(number)" : nil
        startDelay = dice.hits(15) ? .milliseconds(dice.among(1...15_000)) : nil
        priority = dice.among(0...9)
        queueTimeout = dice.hits(8) ? .milliseconds(dice.among(500...20_000)) : nil
        unique = dice.hits(15) ? Self.unique(&dice) : nil
        hasCallbacks = dice.hits(30)
        isNarrow = dice.hits(40)
        var extra = "\"priority\":\(priority)"
        if isNarrow { extra += ",\"queue\":\"\(NarrowQueue.name)\"" }
        if isNarrow, dice.hits(70) { extra += ",\"queue_key\":\"k\(dice.among(1...2))\"" }
        if hasCallbacks { extra += ",\"callbacks\":[\"https://told.example/\"]" }
        if let unique {
            extra +=
                ",\"unique\":{\"key\":\"\(unique.key)\",\"on_conflict\":\"\(unique.onConflict.rawValue)\"}"
        }
        if let queueTimeout {
            extra += ",\"start_by\":\"\(OperationPlan.text(Int(queueTimeout.wholeMilliseconds)))\""
        }
        if let startDelay {
            extra += ",\"run_at\":\"\(OperationPlan.text(Int(startDelay.wholeMilliseconds)))\""
        }
        spec = Array(("{" + extra + "," + root.text.dropFirst()).utf8)
        enter(root, path: [], keys: unique.map { [("unique " + $0.key, name)] } ?? [])
    }

    private static func unique(_ dice: inout Dice) -> JobSpec.Unique {
        let conflicts: [UniqueConflict] = [.wait, .wait, .replace, .reject]
        return JobSpec.Unique(
            key: "key-\(dice.among(1...3))", onConflict: conflicts[dice.below(conflicts.count)])
    }

    var name: String { root.name }

    private func enter(_ plan: OperationPlan, path: [String], keys: [(key: String, owner: String)]) {
        var keys = keys
        if let key = plan.exclusiveKey { keys.append((key, ([name] + path).joined(separator: "/"))) }
        operations.append(OperationLedger(job: self, path: path, plan: plan, keys: keys))
        for member in plan.members + plan.finals { enter(member, path: path + [member.name], keys: keys) }
    }

    func operation(at path: some Collection<String>) -> OperationLedger? {
        operations.first { $0.path.elementsEqual(path) }
    }

    /// The group that has this operation in `finally`; nil for others.
    func group(doingFinally operation: OperationLedger) -> OperationLedger? {
        guard let name = operation.path.last, let group = self.operation(at: operation.path.dropLast()) else {
            return nil
        }
        return group.plan.finals.contains { $0.name == name } ? group : nil
    }

    /// Whether its end cannot be predicted.
    var isOpenEnded: Bool { wasCancelled || wasRetried || queueTimeout != nil }

    /// Whether a call that must not be repeated may have arrived unknown to the server, so that the job must not
    /// succeed.
    var isInDoubt: Bool { operations.contains { $0.wasCutOff && $0.plan.call?.mayRepeat == false } }

    /// Whether calls were lost, after which a failing operation may fare better.
    var hasLostCalls: Bool { operations.contains { $0.lostCalls > 0 } }

    /// Whether a poll's "not done" answer was lost: failures before it count together with those after it.
    var hasLostPolls: Bool {
        operations.contains { $0.lostCalls > 0 && $0.plan.call?.behaviours.contains(.notYet) == true }
    }

    /// Whether an operation is one in `finally`, or inside one.
    func isDoneFinally(_ operation: OperationLedger) -> Bool {
        operation.path.indices.contains { length in
            self.operation(at: operation.path.prefix(length + 1)).map { group(doingFinally: $0) != nil }
                ?? false
        }
    }

    /// Whether something is to be done finally.
    var hasFinals: Bool { operations.contains { !$0.plan.finals.isEmpty } }

    /// Whether any of its operations awaits the signal.
    var wantsSignal: Bool {
        operations.contains { if case .signal = $0.plan.kind { true } else { false } }
    }
}

/// All jobs of a run.
// Safe because everything of a simulation happens on one thread.
final class CaseBook: @unchecked Sendable {
    let all: [JobCase]
    /// The calls in flight.
    let calls = OpenCalls()
    /// Status and content of the answer to a call that belongs to none of them; nil refuses it.
    var stranger: ((HTTPCall) -> (status: Int, body: String))?
    private var byURL: [String: OperationLedger] = [:]
    private var byID: [JobID: JobCase] = [:]

    init(_ all: [JobCase]) {
        self.all = all
        for operation in all.flatMap(\.operations) {
            if let call = operation.plan.call { byURL[call.url] = operation }
        }
    }

    func operation(at url: String) -> OperationLedger? { byURL[url] }

    func job(_ id: JobID) -> JobCase? { byID[id] }

    /// Records that a submission of the job is sent with this id.
    func enter(_ id: JobID, of job: JobCase) {
        byID[id] = job
        job.candidates.append(id)
    }
}
