import HTTPMessage

/// One call of a user of the client, from `send` until its outcome: one or, with redirects, several transfers.
// Safe because everything that changes is touched on the client's loop only; the continuation is set before the call
// is handed to the loop.
final class CurlCall: @unchecked Sendable {
    typealias Outcome = Result<HTTPCallAnswer, HTTPCallFailure>

    /// What the call is for.
    enum Purpose {
        /// A request and its answer.
        case exchange
        /// A connection that is closed again.
        case connection
    }

    let purpose: Purpose
    /// What is sent next. Redirects change method, URL, fields and content; limits and clocks stay as given.
    var request: HTTPCall
    /// When the loop took the call.
    var began = Moment.now
    /// How many redirects were followed.
    var redirects = 0
    /// Whether an earlier transfer delivered a request that may have changed something.
    var hasActed = false
    /// Bytes of the earlier transfers.
    var earlierBytesSent = 0
    var earlierBytesReceived = 0
    /// Cancelled before the loop took it.
    var isCancelled = false
    /// The transfer in flight.
    var transfer: CurlTransfer?

    private var continuation: CheckedContinuation<Outcome, Never>?

    init(_ request: HTTPCall, purpose: Purpose) {
        self.request = request
        self.purpose = purpose
    }

    /// Sets who waits for the outcome. Once, before the call is handed over.
    func wait(with continuation: CheckedContinuation<Outcome, Never>) {
        self.continuation = continuation
    }

    /// Whether somebody still waits.
    var isOpen: Bool { continuation != nil }

    /// Tells the outcome to who waits; only the first one counts.
    func settle(_ outcome: Outcome) {
        continuation?.resume(returning: outcome)
        continuation = nil
    }
}
