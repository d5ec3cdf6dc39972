public import HTTPMessage

/// The way to the outside world for operations that make calls.
public protocol Transport: Sendable {
    /// Sends one request and returns whatever answer comes, of any status.
    ///
    /// Cancelling the task aborts the call promptly; the failure then has code `cancelled.transport` and says whether
    /// anything was sent.
    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer

    /// Returns when the place can be reached.
    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure)
}
