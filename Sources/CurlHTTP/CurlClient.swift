package import EventIO
package import HTTPMessage

/// An HTTP client for outgoing calls: libcurl on an event loop.
///
/// Connections are kept and used again, HTTP/2 is spoken where a TLS server offers it, and content is unpacked
/// (gzip, deflate, brotli, zstd). Proxies of the environment, cookies, `.netrc` and every protocol but
/// `http` and `https` are off; a proxy is used where the route of a call names one. Redirects are followed by the
/// client itself, with their own rules for methods and credentials (see `HTTPCall.redirectsMax`).
///
/// Every connection, new or kept, and every redirect asks `allows` for the address that is really reached: with a
/// proxy for that of the proxy, and for that of the upstream where its URL says it.
///
/// A call may be made from any task. The work happens on the loop, which must be running; a call made after the loop
/// was stopped never returns. A call made on the loop itself begins without a hop.
package final class CurlClient: Sendable {
    private let switchboard: CurlSwitchboard

    /// A client on `loop`.
    ///
    /// - Parameters:
    ///   - loop: where the work happens.
    ///   - allows: whether a connection to this address and port may be used. Called on the loop for every connection
    ///     attempt and again before every request; must be quick. IPv4-mapped addresses come as IPv4.
    ///   - limits: what the client may hold.
    ///   - userAgent: the `User-Agent` of calls that bring none.
    ///   - authoritiesFile: a PEM file of certificate authorities to trust instead of the system's.
    package init(
        loop: EventLoop, allows: @escaping @Sendable (IPAddress, Int) -> Bool,
        limits: CurlLimits = CurlLimits(),
        userAgent: String = "jobserver", authoritiesFile: String? = nil
    ) {
        switchboard = CurlSwitchboard(
            CurlSettings(
                loop: loop, limits: limits, userAgent: userAgent, authoritiesFile: authoritiesFile,
                allows: allows))
    }

    deinit {
        let switchboard = switchboard
        switchboard.loop.onLoop { switchboard.shutDown() }
    }

    /// Makes one call and waits for its answer; any status is an answer.
    ///
    /// The clocks of `call` hold whatever the upstream does. `Host`, `Content-Length`, `Transfer-Encoding`,
    /// `Connection` and the other fields that frame a message are set by the client; a call that brings one is refused.
    /// Without `Content-Type`, none is sent. A request is sent a second time, on a new connection, only when a kept one
    /// turned out dead and either nothing had left or the method is idempotent.
    ///
    /// - Throws: what went wrong, where, and whether the upstream may have acted. Codes: `http.method`, `http.url`,
    ///   `http.field` (refused here, never sent), `dns.*`, `connect.*`, `tls.*`, `http.protocol`, `http.redirect`,
    ///   `body.*`, `proxy.*`, `timeout.connect`, `timeout.first_byte`, `timeout.stall`, `timeout.attempt`,
    ///   `egress.blocked`, `internal.transport`; what the call's sink or source threw;
    ///   `cancelled.transport` when the task was cancelled, which ends the transfer at once.
    package func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        try await run(CurlCall(call, purpose: .exchange)).get()
    }

    /// Asks whether something can be reached; returns when it can. The same address rules as for calls apply.
    ///
    /// - Throws: why it cannot be reached, with the codes of `send`.
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

    /// Ends all calls in flight as cancelled and closes every connection.
    package func close() async {
        let switchboard = switchboard
        await withCheckedContinuation { continuation in
            switchboard.loop.onLoop {
                switchboard.shutDown()
                continuation.resume()
            }
        }
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
