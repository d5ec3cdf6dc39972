import HTTPMessage

/// One call of a user of the client, from `send` until its outcome, with one transfer per redirect.
// Safe because all mutable state is touched on the client's loop only; the continuation is set before the call is
// handed to the loop.
final class CurlCall: @unchecked Sendable {
    typealias Outcome = Result<HTTPCallAnswer, HTTPCallFailure>

    /// The purpose of a call.
    enum Purpose {
        /// A request and its response.
        case exchange
        /// A connection that is closed again.
        case connection
    }

    let purpose: Purpose
    /// The next request. Redirects change method, URL, fields and content; limits and timeouts stay.
    var request: HTTPCall
    /// The time at which the loop took the call.
    var began = Moment.now
    /// The number of redirects followed.
    var redirects = 0
    /// Whether an earlier transfer delivered a request that may have changed something.
    var hasActed = false
    /// The bytes of earlier transfers.
    var earlierBytesSent = 0
    var earlierBytesReceived = 0
    /// Whether the call was cancelled before the loop took it.
    var isCancelled = false
    var transfer: CurlTransfer?
    /// The target of the next request.
    var target = CallTarget.unknown
    /// The caller with whom others take turns, 0 if unknown.
    var caller = 0
    /// Its place in the client's line while it has a connection there.
    var place: Int?
    /// Its wait in that line.
    var wait: LineWait?
    /// The time that it spent in lines, in nanoseconds.
    var nanosecondsInLine: Int64 = 0

    private var continuation: CheckedContinuation<Outcome, Never>?

    init(_ request: HTTPCall, purpose: Purpose) {
        self.request = request
        self.purpose = purpose
    }

    /// Sets the continuation that waits for the outcome. Once, before the call is handed over.
    func wait(with continuation: CheckedContinuation<Outcome, Never>) {
        self.continuation = continuation
    }

    /// Delivers the outcome; only the first one counts.
    func settle(_ outcome: Outcome) {
        // An earlier transfer was answered with a redirect after a change: the work may have happened.
        var outcome = outcome
        if hasActed, case .failure(var failure) = outcome {
            failure.delivery = .answered
            outcome = .failure(failure)
        }
        continuation?.resume(returning: outcome)
        continuation = nil
    }

    /// Notes that the wait in line has ended.
    func endWait() {
        guard let wait else { return }
        nanosecondsInLine += Moment.now.nanoseconds - wait.began.nanoseconds
        self.wait = nil
    }

    /// The exchange so far, without the transfer that is under way.
    func exchange(at now: Moment) -> HTTPCallExchange {
        var exchange = HTTPCallExchange()
        if nanosecondsInLine > 0 { exchange.lineMilliseconds = Double(nanosecondsInLine) / 1_000_000 }
        exchange.totalMilliseconds = now.milliseconds(since: began)
        exchange.bytesSent = earlierBytesSent
        exchange.bytesReceived = earlierBytesReceived
        exchange.redirects = redirects
        if redirects > 0 { exchange.effectiveURL = request.url }
        return exchange
    }
}
