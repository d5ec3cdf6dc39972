import HTTPMessage

/// Who sends requests: what one of them has may not be taken from the others.
enum Client: Hashable, Sendable {
    /// Whoever has this token.
    case token(String)
    /// Whoever has this address.
    case address(IPAddress)
}

/// Counts how much each client was given lately, when there is not enough for all.
struct FairShare: Sendable {
    /// How long what was given counts; half of it is forgotten after that.
    private static let window = Duration.milliseconds(250)
    /// So much lately is little, however little the others had.
    private static let little = 16
    private static let clientsMax = 10_000

    private var given: [Client: Int] = [:]
    private var total = 0
    private var windowEnd: ContinuousClock.Instant

    /// Nobody was given anything.
    init(now: ContinuousClock.Instant) { windowEnd = now + Self.window }

    /// Whether a client has had more than others lately, and there is more than one.
    func isGreedy(_ client: Client) -> Bool {
        let own = given[client] ?? 0
        return own > Self.little && given.count > 1 && own * given.count > total
    }

    /// Whether a client has had little.
    func isModest(_ client: Client) -> Bool { (given[client] ?? 0) <= Self.little }

    /// One more was given to a client.
    mutating func give(_ client: Client, now: ContinuousClock.Instant) {
        if now >= windowEnd { forgetHalf(now) }
        if given[client] == nil, given.count >= Self.clientsMax { return }
        given[client, default: 0] += 1
        total += 1
    }

    private mutating func forgetHalf(_ now: ContinuousClock.Instant) {
        windowEnd = now + Self.window
        given = given.compactMapValues { $0 > 1 ? $0 / 2 : nil }
        total = given.values.reduce(0, +)
    }
}
