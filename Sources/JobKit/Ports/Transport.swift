public import HTTPMessage

/// Makes the network calls of operations.
public protocol Transport: Sendable {
    /// Sends one request and returns the answer, of any status.
    ///
    /// Cancelling the task aborts the call promptly; the failure then has code `cancelled.transport` and says whether
    /// the request was sent.
    /// - Throws: when there is no answer.
    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer

    /// Returns when the host is reachable.
    /// - Throws: when it is not.
    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure)
}
