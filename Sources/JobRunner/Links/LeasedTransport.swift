internal import HTTPMessage
internal import JobKit

/// Makes the calls of jobs while the server has its lease.
///
/// A server that was stopped for longer than its lease finds out here, before it repeats what another one has taken
/// over: the store would tell it too late.
struct LeasedTransport: Transport {
    let transport: any Transport
    let lease: LeaseWatch

    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        guard lease.isHeld else { throw await refusal() }
        return try await transport.send(call)
    }

    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {
        guard lease.isHeld else { throw await refusal() }
        try await transport.reach(probe)
    }

    /// The end of a call that was not made. Its run is over, so that no journal shows it.
    private func refusal() async -> HTTPCallFailure {
        await lease.tellEnd()
        return HTTPCallFailure(
            code: "cancelled.transport", detail: "The lease of this server is over.", phase: .dns,
            delivery: .notSent)
    }
}
