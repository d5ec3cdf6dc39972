internal import CurlHTTP
internal import EventIO

/// A client with a running loop, which both end with the last reference.
final class CurlWorker: Sendable {
    let client: CurlClient
    let loop: EventLoop

    /// Starts the loop.
    /// - Throws: `.system` when the process is out of descriptors or memory.
    init(_ settings: CurlTransport.Settings) throws(EventIOError) {
        let loop = try EventLoop(name: "calls")
        var limits = CurlLimits()
        limits.connectionsPerHostMax = settings.connectionsPerHostMax
        limits.connectionsMax = settings.connectionsMax
        let policy = settings.egress
        client = CurlClient(
            loop: loop, allows: { address, _ in policy?.verdict(for: address).isAllowed ?? true },
            limits: limits, userAgent: settings.userAgent, authoritiesFile: settings.authoritiesFile,
            egressWords: EgressWords(
                caller: "this program", remedy: "let the egress policy of the transport allow"))
        self.loop = loop
        loop.start()
    }

    deinit {
        client.closeSoon()
        loop.stopSoon()
    }
}
