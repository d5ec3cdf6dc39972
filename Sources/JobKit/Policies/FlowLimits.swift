/// Limits on things that run: jobs of a queue, or calls to a host.
package struct FlowLimits: Sendable, Hashable {
    /// The maximum number at the same time.
    package var concurrency: Int?
    /// The maximum pace at which they begin.
    package var rate: RateLimit?

    package init(concurrency: Int? = nil, rate: RateLimit? = nil) {
        self.concurrency = concurrency
        self.rate = rate
    }
}
