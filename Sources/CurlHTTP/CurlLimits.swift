/// What one client may hold at most. Every number has a default that suits one machine.
package struct CurlLimits: Sendable, Hashable {
    /// Connections to one host and port, kept ones included; further calls wait in line. Default 256.
    package var connectionsPerHostMax = 256
    /// Connections altogether, kept ones included; the one idle for longest gives way. Default 1,024.
    package var connectionsMax = 1024
    /// Routes other than the plain one whose connections are kept, each on its own. Default 64.
    package var routesMax = 64
    /// Unused transfer handles that are kept for the next call. Default 256.
    package var idleHandlesMax = 256
    /// The largest answer head, interim answers included. Default 256 KiB.
    package var answerHeadBytesMax = 256 << 10
    /// How many times as large as what arrived unpacked content may become. Default 250.
    package var expansionRatioMax = 250
    /// Unpacked content up to this size may have any ratio. Default 1 MiB.
    package var expansionFreeBytes = 1 << 20
    /// How long a resolved address is remembered. Default 60 s.
    package var addressLifetime: Duration = .seconds(60)
    /// How long a kept connection may have been idle and still carry a call. Default 60 s.
    package var idleConnectionAgeMax: Duration = .seconds(60)
    /// The same for a call that must not be sent twice (POST, PATCH and every unknown method). Short, because a
    /// server that closes an idle connection at that very moment leaves such a call with an unknown fate.
    /// Default 2 s.
    package var idleConnectionAgeMaxForUnsafeCalls: Duration = .seconds(2)

    /// The default limits.
    package init() {}
}
