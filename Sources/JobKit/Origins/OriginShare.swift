/// The place of a server among those that share the limits of hosts.
///
/// Each server takes its part, so that together they keep a limit without asking each other. A limit of fewer calls at
/// once than there are servers leaves each of them one.
package struct OriginShare: Sendable, Hashable {
    /// From 0.
    var place: Int
    var count: Int

    package init(place: Int = 0, of count: Int = 1) {
        self.count = max(1, count)
        self.place = min(max(0, place), self.count - 1)
    }

    /// The part of the limits of a host.
    func part(of limits: FlowLimits) -> FlowLimits {
        if count == 1 { return limits }
        return FlowLimits(
            concurrency: limits.concurrency.map { max(1, $0 / count + (place < $0 % count ? 1 : 0)) },
            rate: limits.rate.map {
                RateLimit(count: $0.count, per: $0.per * count, burst: max(1, $0.burst / count))
            })
    }
}
