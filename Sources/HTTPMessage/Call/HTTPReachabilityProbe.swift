/// A question whether something can be reached, asked without sending a request that means anything.
public struct HTTPReachabilityProbe: Sendable, Hashable {
    /// How far the probe goes.
    public enum Depth: String, Sendable, Hashable, CaseIterable {
        /// A TCP connection is opened and closed again.
        case tcp
        /// A `HEAD` request; any HTTP answer counts as reached.
        case http
    }

    /// For `tcp` a URL of which only host and port are used; for `http` the URL that is asked.
    public var url: String
    /// How far the probe goes.
    public var depth: Depth
    /// How long it may take. Default 3 s.
    public var timeout: Duration

    /// A probe.
    public init(url: String, depth: Depth, timeout: Duration = .seconds(3)) {
        self.url = url
        self.depth = depth
        self.timeout = timeout
    }
}
