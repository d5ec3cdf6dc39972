internal import HTTPMessage
internal import StrictJSON

/// A call that asks for permission to begin.
struct OriginCall: Sendable, Hashable {
    /// `https://host:port`, the port only when it is not the scheme's own.
    var origin: String
    /// The operation that makes it.
    var caller = OriginCaller(job: "", path: [])
    /// Whether it repeats an earlier one.
    var isRetry = false
    /// Whether it waits while the origin cools down.
    var heedsCoolDown = true
    /// The longest pause that it takes from an answer; nil is as long as the rules of origins let it be.
    var pauseMax: Duration?
}

/// The answer to a call.
enum OriginAnswer: Sendable, Hashable {
    /// The call may begin, and reports its outcome afterwards.
    case pass(isProbe: Bool)
    /// The call must ask again at that time.
    case wait(until: Timestamp, OriginReason)
}

/// The reason of a wait.
enum OriginReason: Sendable, Hashable {
    /// The origin answered with this status and requested a pause.
    case coolDown(status: Int)
    /// That many of the last calls failed.
    case breaker(failures: Int, calls: Int)
    /// After many failures one call probes whether the origin has recovered.
    case probe
    /// There are too many repeated calls.
    case budget
    /// As many calls are in flight as its limit permits.
    case concurrency(Int)
    /// As many calls have begun as its limit lets.
    case rate(RateLimit)

    /// In words, to follow the origin's name.
    var text: String {
        switch self {
        case .coolDown(let status): "answered \(status) and asked for a pause"
        case .breaker(let failures, let calls):
            calls == 1
                ? "failed again when one call tried it"
                : "failed \(failures) of its last \(calls) calls and is left alone"
        case .probe: "is being tried by one call after many failures"
        case .budget: "has as many repeated calls as it may have"
        case .concurrency(let most): "has \(most) calls in flight, which is its limit"
        case .rate(let limit):
            "has begun as many calls as its limit lets: \(limit.count) in \(DurationText.text(limit.per))"
        }
    }
}

/// The outcome of a call, as far as it concerns its origin.
struct OriginOutcome: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        /// The upstream is there and does its work, be it with a refusal.
        case reached
        /// The origin is unreachable, times out, or reports a server error.
        case failed
        /// The outcome says nothing about the origin.
        case unknown
    }

    var kind: Kind
    /// The status of the answer.
    var status: Int?
    var pause: Duration?

    /// The outcome says nothing about the origin.
    static let unknown = OriginOutcome(kind: .unknown)

    init(kind: Kind, status: Int? = nil, pause: Duration? = nil) {
        self.kind = kind
        self.status = status
        self.pause = pause
    }

    /// The outcome of an answer. Only 429 and 503 request a pause of all calls.
    init(_ answer: HTTPCallAnswer, at now: Timestamp) {
        status = answer.status
        kind = answer.status >= 500 && RetryDecision.isWorthwhile(status: answer.status) ? .failed : .reached
        guard answer.status == 429 || answer.status == 503 else { return }
        var lines: [String: [String]] = [:]
        for (name, value) in answer.fields {
            let name = name.lowercased()
            if RetryRequest.fields.contains(name) { lines[name, default: []].append(value) }
        }
        pause = RetryRequest.delay(from: now) { lines[$0]?.joined(separator: ", ") }
    }

    /// The outcome of a failure. A local one, such as a cancelled call or a forbidden address, says nothing about the
    /// origin.
    init(_ failure: HTTPCallFailure) {
        let error = AOperationError(callFailure: failure)
        status = failure.status
        kind = failure.code == LiveContent.enough ? .reached : error.retryable ? .failed : .unknown
    }
}

/// An operation that calls origins.
package struct OriginCaller: Sendable, Hashable {
    package var job: String
    /// The names from below the root down to it.
    package var path: [String]

    package init(job: String, path: [String]) {
        self.job = job
        self.path = path
    }
}

/// The permission for one call. Its holder reports the outcome of the call, once.
struct OriginPass: Sendable, Hashable {
    let origin: String
    let isProbe: Bool
    /// The URL whose origin it is; nil when it was given for no URL in particular.
    var url: String?
}
