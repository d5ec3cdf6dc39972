package import EventIO
package import HTTPMessage

/// An HTTP client for outgoing calls: libcurl on an event loop.
///
/// Connections are reused, HTTP/2 is used where a TLS server offers it, and content is decoded (gzip, deflate, brotli,
/// zstd). Proxies from the environment, cookies, `.netrc` and all protocols except `http` and `https` are disabled; a
/// proxy is used where the route of a call names one. The client follows redirects itself, with stricter rules for
/// methods and credentials (see `HTTPCall.redirectsMax`).
///
/// Every connection, new or reused, and every redirect asks `allows` about the address that is actually reached: with a
/// proxy, about the proxy's, and about the upstream's if its URL contains it.
///
/// A call may be made from any task. The work happens on the loop, which must be running; a call made after the loop
/// was stopped never returns. A call made on the loop itself begins without a hop.
package final class CurlClient: Sendable {
    private let switchboard: CurlSwitchboard

    /// A client on `loop`.
    ///
    /// - Parameters:
    ///   - loop: the loop that runs the transfers.
    ///   - allows: whether a connection to this address and port may be used. Called on the loop for every connection
    ///     attempt and again before every request; must be quick. IPv4-mapped addresses are passed as IPv4.
    ///   - limits: the limits of the client.
    ///   - userAgent: the `User-Agent` of calls without one.
    ///   - authoritiesFile: a PEM file of certificate authorities to trust instead of the system's.
    ///   - egressWords: the words about an address that `allows` refuses.
    ///   - backpressure: pauses long responses.
    package init(
        loop: EventLoop, allows: @escaping @Sendable (IPAddress, Int) -> Bool,
        limits: CurlLimits = CurlLimits(),
        userAgent: String = "jobserver", authoritiesFile: String? = nil,
        egressWords: EgressWords = .server, backpressure: (any Backpressure)? = nil
    ) {
        switchboard = CurlSwitchboard(
            CurlSettings(
                loop: loop, limits: limits, userAgent: userAgent, authoritiesFile: authoritiesFile,
                allows: allows, egressWords: egressWords, backpressure: backpressure))
    }

    deinit { closeSoon() }

    /// Makes one call and waits for its response, with any status.
    ///
    /// The timeouts of `call` hold whatever the upstream does. The client sets `Host`, `Content-Length`,
    /// `Transfer-Encoding`, `Connection` and the other fields that frame a message; a call that contains one is
    /// refused. Without `Content-Type`, none is sent. A request is sent a second time, on a new connection, only when a
    /// reused one turned out to be dead and either nothing had left or the method is idempotent.
    ///
    /// - Throws: what went wrong, in which phase, and whether the upstream may have acted. Codes: `http.method`,
    ///   `http.url`, `http.field` (refused here, never sent), `dns.*`, `connect.*`, `tls.*`, `http.protocol`,
    ///   `http.redirect`, `body.*`, `proxy.*`, `timeout.connect`, `timeout.first_byte`, `timeout.stall`,
    ///   `timeout.attempt`, `egress.blocked`, `internal.transport`; what the call's sink or source threw;
    ///   `cancelled.transport` when the task was cancelled, which ends the transfer at once.
    package func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        try await run(CurlCall(call, purpose: .exchange)).get()
    }

    /// Tests whether an upstream is reachable. The same address rules as for calls apply.
    ///
    /// - Throws: the reason why it is not, with the codes of `send`.
    package func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {
        var call = HTTPCall(method: "HEAD", url: probe.url)
        call.connectTimeout = probe.timeout
        call.firstByteTimeout = probe.timeout
        call.attemptTimeout = probe.timeout
        call.answerBytesMax = 64 << 10
        switch probe.depth {
        case .http:
            _ = try await run(CurlCall(call, purpose: .exchange)).get()
        case .tcp:
            let target = try CallCheck.target(call.url)
            call.url = "http://\(target.description)/"
            _ = try await run(CurlCall(call, purpose: .connection)).get()
        }
    }

    /// Cancels all calls in flight and closes every connection.
    package func close() async {
        let switchboard = switchboard
        await withCheckedContinuation { continuation in
            switchboard.loop.onLoop {
                switchboard.shutDown()
                continuation.resume()
            }
        }
    }

    /// Starts `close()` without waiting for it. From any thread.
    package func closeSoon() {
        let switchboard = switchboard
        switchboard.loop.onLoop { switchboard.shutDown() }
    }

    private func run(_ call: CurlCall) async -> CurlCall.Outcome {
        let switchboard = switchboard
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                call.wait(with: continuation)
                switchboard.loop.onLoop { switchboard.begin(call) }
            }
        } onCancel: {
            switchboard.loop.onLoop { switchboard.cancel(call) }
        }
    }
}
