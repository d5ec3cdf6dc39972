/// A test whether an upstream is reachable, without a request that has effects.
public struct HTTPReachabilityProbe: Sendable, Hashable {
    /// The depth of the probe.
    public enum Depth: String, Sendable, Hashable, CaseIterable {
        /// A TCP connection is opened and closed again.
        case tcp
        /// A `HEAD` request; any HTTP answer counts as reached.
        case http
    }

    /// For `tcp` a URL of which only host and port are used; for `http` the URL to request.
    public var url: String
    /// The depth of the probe.
    public var depth: Depth
    /// The time limit. Default 3 s.
    public var timeout: Duration

    /// Creates a probe.
    public init(url: String, depth: Depth, timeout: Duration = .seconds(3)) {
        self.url = url
        self.depth = depth
        self.timeout = timeout
    }
}
