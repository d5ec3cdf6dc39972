/// Counts the recent use of each client, to share scarce capacity fairly.
struct FairShare: Sendable {
    /// The half-life of the counts.
    private static let window = Duration.milliseconds(250)
    /// The use that always counts as little, whatever the others had.
    private static let little = 16
    private static let clientsMax = 10_000

    private var given: [Client: Int] = [:]
    private var total = 0
    private var windowEnd: ContinuousClock.Instant

    init(now: ContinuousClock.Instant) { windowEnd = now + Self.window }

    /// Whether a client has recently had more than the average, and is not alone.
    func isGreedy(_ client: Client) -> Bool {
        let own = given[client] ?? 0
        return own > Self.little && given.count > 1 && own * given.count > total
    }

    /// Whether a client has recently had little.
    func isModest(_ client: Client) -> Bool { (given[client] ?? 0) <= Self.little }

    /// Counts one accepted request.
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
