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

    private var continuation: CheckedContinuation<Outcome, Never>?

    init(_ request: HTTPCall, purpose: Purpose) {
        self.request = request
        self.purpose = purpose
    }

    /// Sets the continuation that waits for the outcome. Once, before the call is handed over.
    func wait(with continuation: CheckedContinuation<Outcome, Never>) {
        self.continuation = continuation
    }

    /// Whether the outcome is still awaited.
    var isOpen: Bool { continuation != nil }

    /// Delivers the outcome; only the first one counts.
    func settle(_ outcome: Outcome) {
        continuation?.resume(returning: outcome)
        continuation = nil
    }
}
