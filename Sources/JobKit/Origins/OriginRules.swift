/// How upstreams are treated: one origin is a scheme, a host and a port.
public struct OriginRules: Sendable, Hashable {
    /// Whether an answer 429 or 503 that asks for a pause holds every call of its origin back until then.
    public var coolsDown = true
    /// Whether an origin that mostly fails is left alone for a while.
    public var breaks = true
    /// Whether repeated calls may only be a share of all calls of an origin.
    public var limitsRetries = true

    /// The longest pause that an answer may ask for. Default 1 h.
    public var coolDownMax: Duration = .seconds(3_600)

    /// How far back failures count. Default 60 s.
    public var breakerWindow: Duration = .seconds(60)
    /// Fewer calls than this within the window say nothing. Default 20.
    public var breakerCallsMin = 20
    /// From which share of failures on the origin is left alone. Default 0.5.
    public var breakerFailureShare = 0.5
    /// How long it is left alone before one call tries it. Default 30 s.
    public var breakerOpenFor: Duration = .seconds(30)
    /// Each time that call fails, too, it is left alone for twice as long, up to this. Default 5 min.
    public var breakerOpenMax: Duration = .seconds(300)
    /// How long that one call is waited for before another one tries. Default 60 s.
    public var probeMax: Duration = .seconds(60)

    /// How far back calls count for the share of repeated ones. Default 10 s.
    public var retryWindow: Duration = .seconds(10)
    /// The share of repeated calls. Default 0.2.
    public var retryShare = 0.2
    /// So many repeated calls a second are always allowed, on the average of the window. Default 10.
    public var retriesPerSecondMin = 10

    /// How far apart calls that waited come back. Default 10 ms.
    public var pace: Duration = .milliseconds(10)
    /// The time over which they are spread at most. Default 60 s.
    public var spreadMax: Duration = .seconds(60)

    /// After how long without a call an origin is forgotten. Default 10 min.
    public var idleMax: Duration = .seconds(600)
    /// How many origins are remembered; the one that was not used for longest gives way. Default 4,096.
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
