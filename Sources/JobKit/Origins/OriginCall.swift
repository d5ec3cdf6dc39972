internal import HTTPMessage
internal import StrictJSON

/// A call that asks whether it may begin.
struct OriginCall: Sendable, Hashable {
    /// `https://host:port`, the port only when it is not the scheme's own.
    var origin: String
    /// Whether it repeats an earlier one.
    var isRetry = false
    /// Whether it waits while the origin cools down.
    var heedsCoolDown = true
    /// The longest pause that it takes from an answer; nil is as long as the rules of origins let it be.
    var pauseMax: Duration?
}

/// The answer to a call that asks.
enum OriginAnswer: Sendable, Hashable {
    /// It may begin, and says afterwards how it ended.
    case pass(isProbe: Bool)
    /// It may ask again then.
    case wait(until: Timestamp, OriginReason)
}

/// Why a call has to wait.
enum OriginReason: Sendable, Hashable {
    /// The origin answered with this status and asked for a pause.
    case coolDown(status: Int)
    /// So many of the last calls failed.
    case breaker(failures: Int, calls: Int)
    /// After many failures one call finds out whether the origin is well again.
    case probe
    /// There are too many repeated calls.
    case budget

    /// In words, to stand behind the origin's name.
    var text: String {
        switch self {
        case .coolDown(let status): "answered \(status) and asked for a pause"
        case .breaker(let failures, let calls):
            calls == 1
                ? "failed again when one call tried it"
                : "failed \(failures) of its last \(calls) calls and is left alone"
        case .probe: "is being tried by one call after many failures"
        case .budget: "has as many repeated calls as it may have"
        }
    }
}

/// How a call ended, as far as its origin is concerned.
struct OriginOutcome: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// The upstream is there and does its work, be it with a refusal.
        case reached
        /// It cannot be reached, takes too long, or says that it is broken.
        case failed
        /// Nothing can be said.
        case unknown
    }

    var kind: Kind
    /// The status of the answer.
    var status: Int?
    /// How long it asks to be left alone.
    var pause: Duration?

    /// Nothing can be said.
    static let unknown = OriginOutcome(kind: .unknown)

    init(kind: Kind, status: Int? = nil, pause: Duration? = nil) {
        self.kind = kind
        self.status = status
        self.pause = pause
    }

    /// What an answer says. Only 429 and 503 ask for a pause of everybody.
    init(_ answer: HTTPCallAnswer, at now: Timestamp) {
        status = answer.status
        kind = answer.status >= 500 && RetryDecision.isWorthwhile(status: answer.status) ? .failed : .reached
        guard answer.status == 429 || answer.status == 503 else { return }
        pause = RetryRequest.delay(from: HTTPDate(secondsSince1970: now.milliseconds / 1_000)) { name in
            let lines = answer.fields.filter { $0.name.lowercased() == name }.map(\.value)
            return lines.isEmpty ? nil : lines.joined(separator: ", ")
        }
    }

    /// What a failure says. One on this side, such as a stopped call or a forbidden address, says nothing.
    init(_ failure: HTTPCallFailure) {
        let error = AOperationError(callFailure: failure)
        status = failure.status
        kind = error.retryable ? .failed : .unknown
    }
}
