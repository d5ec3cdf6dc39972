import JobKit

/// The upstream's reaction to one call.
enum Behaviour: Equatable {
    /// Answers with the content.
    case good
    /// Answers with a status, and perhaps a `Retry-After`.
    case status(Int, retryAfter: Int?)
    /// Refuses the connection: nothing was sent.
    case refused
    /// Breaks the connection after the request was sent.
    case reset
    /// Never answers.
    case silent
    /// Answers "not done".
    case notYet

    /// Whether a failed call may be repeated although its method must not be.
    var isUndone: Bool {
        switch self {
        case .refused: true
        case .status(let status, _): status == 429 || status == 503
        default: false
        }
    }

    /// Whether another attempt is worthwhile.
    var isWorthwhile: Bool {
        switch self {
        case .status(let status, _): status != 404 && status != 400
        default: true
        }
    }

    /// Whether the effect of the call is unknown.
    var leavesDoubt: Bool { self == .reset || self == .silent }
}

/// One operation of a simulated job, with its expected outcome.
// Safe because everything of a simulation happens on one thread.
final class OperationPlan: @unchecked Sendable {
    enum Kind {
        case value(Int)
        case delay(milliseconds: Int)
        case call(CallPlan)
        case poll(CallPlan, everyMilliseconds: Int)
        case signal(String, onTimeout: Int?)
        case group(isOrdered: Bool, failsFast: Bool)
    }

    /// The method and the answers of a call.
    struct CallPlan {
        var method: String
        var url: String
        var attemptsMax: Int
        /// The reactions of the upstream, call by call; then it succeeds.
        var behaviours: [Behaviour]
        var hasKey: Bool
        var repeatsUnsafe: Bool

        var mayRepeat: Bool { method != "POST" || hasKey || repeatsUnsafe }
    }

    let name: String
    let kind: Kind
    var members: [OperationPlan] = []
    /// The `finally` operations of the group.
    var finals: [OperationPlan] = []
    /// The members of its group that it depends on.
    var after: [String] = []
    /// The exclusive key that it needs.
    var exclusiveKey: String?
    /// Whether a timeout may end it, so that its outcome cannot be predicted.
    var hasClock = false
    /// Its timeouts, and further members of its spec.
    var clocks: [String] = []
    var extra: [String] = []

    init(name: String, kind: Kind) {
        self.name = name
        self.kind = kind
    }

    /// The call, when it makes one.
    var call: CallPlan? {
        switch kind {
        case .call(let call), .poll(let call, _): call
        default: nil
        }
    }

    /// This operation and all inside it, with their names below the root.
    func all(_ path: [String] = []) -> [(path: [String], plan: OperationPlan)] {
        [(path, self)] + (members + finals).flatMap { $0.all(path + [$0.name]) }
    }

    // MARK: What should come of it

    /// The final state without interference; nil when it cannot be predicted.
    func expected() -> JobState? {
        if hasClock { return nil }
        switch kind {
        case .value, .delay, .signal: return .succeeded
        case .call(let call): return OperationPlan.expected(call)
        case .poll(let call, _): return OperationPlan.expected(call)
        case .group(let isOrdered, let failsFast): return expectedGroup(isOrdered, failsFast)
        }
    }

    private static func expected(_ call: CallPlan) -> JobState {
        var counted = 0
        for behaviour in call.behaviours {
            switch behaviour {
            case .good: return .succeeded
            case .notYet: counted = 0
            default:
                counted += 1
                if !behaviour.isWorthwhile || counted >= call.attemptsMax { return .failed }
                if !call.mayRepeat && !behaviour.isUndone { return .failed }
            }
        }
        return .succeeded
    }

    private func expectedGroup(_ isOrdered: Bool, _ failsFast: Bool) -> JobState? {
        var ends: [String: JobState] = [:]
        var stopped = false
        var isUnknown = false
        for member in members {
            if stopped || member.after.contains(where: { ends[$0] != .succeeded }) {
                ends[member.name] = .skipped
                continue
            }
            guard let end = member.expected() else {
                isUnknown = true
                continue
            }
            ends[member.name] = end
            if isOrdered && end != .succeeded { stopped = true }
        }
        for final in finals {
            guard let end = final.expected() else {
                isUnknown = true
                continue
            }
            ends[final.name] = end
        }
        if isUnknown { return nil }
        return ends.values.contains(.failed) ? .failed : .succeeded
    }

    // MARK: Its spec

    /// The operation as JSON.
    var text: String {
        var parts = ["\"name\":\"\(name)\""]
        switch kind {
        case .value(let number): parts.append("\"type\":\"value\",\"value\":{\"n\":\(number)}")
        case .delay(let length): parts.append("\"type\":\"delay\",\"for\":\"\(OperationPlan.text(length))\"")
        case .call(let call): parts.append("\"type\":\"network\",\(OperationPlan.text(call))")
        case .poll(let call, let every):
            parts.append(
                "\"type\":\"poll\",\(OperationPlan.text(call)),\"every\":\"\(OperationPlan.text(every))\","
                    + "\"until\":{\"at\":\"/body/done\",\"equals\":true}")
        case .signal(let signal, let onTimeout):
            parts.append("\"type\":\"await\",\"signal\":\"\(signal)\"")
            if onTimeout != nil { parts.append("\"on_timeout\":\"continue\"") }
        case .group(let isOrdered, let failsFast):
            parts.append("\"type\":\"group\",\"ordered\":\(isOrdered)")
            if failsFast { parts.append("\"stop_when\":\"first_failure\"") }
            parts.append("\"operations\":[\(members.map(\.text).joined(separator: ","))]")
            if !finals.isEmpty {
                parts.append("\"finally\":[\(finals.map(\.text).joined(separator: ","))]")
            }
        }
        if !clocks.isEmpty { parts.append("\"timeouts\":{\(clocks.joined(separator: ","))}") }
        if !after.isEmpty {
            parts.append("\"after\":[\(after.map { "\"\($0)\"" }.joined(separator: ","))]")
        }
        if let key = exclusiveKey {
            parts.append("\"conditions\":[{\"type\":\"lock\",\"key\":\"\(key)\"}]")
        }
        return "{\((parts + extra).joined(separator: ","))}"
    }

    private static func text(_ call: CallPlan) -> String {
        var request = "\"method\":\"\(call.method)\",\"url\":\"\(call.url)\""
        if call.method == "POST" { request += ",\"json\":{\"x\":1}" }
        if call.hasKey { request += ",\"idempotency_key\":\"auto\"" }
        return "\"request\":{\(request)}"
    }

    /// A length in milliseconds as a duration.
    static func text(_ milliseconds: Int) -> String {
        let rest = String(milliseconds % 1_000 + 1_000).dropFirst()
        return "PT\(milliseconds / 1_000).\(rest)S"
    }
}
