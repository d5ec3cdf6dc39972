/// The rules for upstreams: one origin is a scheme, a host and a port.
public struct OriginRules: Sendable, Hashable {
    /// Whether an answer 429 or 503 with a requested pause delays every call of its origin until then.
    public var coolsDown = true
    /// Whether an origin that mostly fails opens its breaker.
    public var breaks = true
    /// Whether retries are limited to a share of all calls of an origin.
    public var limitsRetries = true

    /// The longest pause that an answer may request. Default 1 h.
    public var coolDownMax: Duration = .seconds(3_600)

    /// The window in which failures count. Default 60 s.
    public var breakerWindow: Duration = .seconds(60)
    /// The minimum number of calls within the window for the breaker to open. Default 20.
    public var breakerCallsMin = 20
    /// The share of failures that opens the breaker. Default 0.5.
    public var breakerFailureShare = 0.5
    /// The time for which the breaker stays open before a probe. Default 30 s.
    public var breakerOpenFor: Duration = .seconds(30)
    /// The upper limit of that time, which doubles with each failed probe. Default 5 min.
    public var breakerOpenMax: Duration = .seconds(300)
    /// The time after which an unfinished probe is followed by another one. Default 60 s.
    public var probeMax: Duration = .seconds(60)

    /// The window of the retry budget. Default 10 s.
    public var retryWindow: Duration = .seconds(10)
    /// The permitted share of retries. Default 0.2.
    public var retryShare = 0.2
    /// The retries per second that are always permitted, averaged over the window. Default 10.
    public var retriesPerSecondMin = 10

    /// The distance between delayed calls when they resume. Default 10 ms.
    public var pace: Duration = .milliseconds(10)
    /// The time over which they are spread at most. Default 60 s.
    public var spreadMax: Duration = .seconds(60)

    /// The idle time after which an origin is removed. Default 10 min.
    public var idleMax: Duration = .seconds(600)
    /// The limit of origins; the least recently used one is removed. Default 4,096.
    public var originsMax = 4_096

    /// The default rules.
    public init() {}

    /// The default rules.
    public static let standard = OriginRules()

    /// No call is ever held back.
    public static var none: OriginRules {
        var rules = OriginRules()
        rules.coolsDown = false
        rules.breaks = false
        rules.limitsRetries = false
        return rules
    }

    /// Whether there is anything to watch.
    var areOff: Bool { !coolsDown && !breaks && !limitsRetries }
}
