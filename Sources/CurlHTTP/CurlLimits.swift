/// The limits of one client. The defaults suit one machine.
package struct CurlLimits: Sendable, Hashable {
    /// The maximum number of connections to one host and port on one route, idle ones included; further calls wait in
    /// line. Default 256.
    package var connectionsPerHostMax = 256
    /// The maximum number of connections in total that carry calls; further calls wait in line. Idle ones count on
    /// their route; the one idle for longest is closed. Default 1,024.
    package var connectionsMax = 1024
    /// The maximum number of calls on one multiplexed connection (HTTP/2), unless the server permits fewer. Default
    /// 100.
    package var streamsPerConnectionMax = 100
    /// The maximum number of routes, besides the default one, whose connections are kept. Default 64.
    package var routesMax = 64
    /// The maximum number of unused transfer handles that are kept for the next call. Default 256.
    package var idleHandlesMax = 256
    /// The maximum size of a response head, interim responses included. Default 256 KiB.
    package var answerHeadBytesMax = 256 << 10
    /// The maximum ratio of decoded content to what arrived. Default 250.
    package var expansionRatioMax = 250
    /// The size of decoded content up to which any ratio is permitted. Default 1 MiB.
    package var expansionFreeBytes = 1 << 20
    /// The time for which a resolved address is cached. Default 60 s.
    package var addressLifetime: Duration = .seconds(60)
    /// The maximum idle time of a connection that may carry a call. Default 60 s.
    package var idleConnectionAgeMax: Duration = .seconds(60)
    /// The same for a call that must not be sent twice (POST, PATCH and every unknown method). Short, because a server
    /// that closes an idle connection at that very moment leaves such a call with an unknown outcome. Default 2 s.
    package var idleConnectionAgeMaxForUnsafeCalls: Duration = .seconds(2)

    package init() {}
}
