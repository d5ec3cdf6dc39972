internal import StrictJSON

/// The wait of an operation that cannot make progress and may be suspended.
public struct OperationWait: Sendable, Hashable {
    /// The latest end; nil without a date.
    public var until: Timestamp?
    /// The kind of event that ends it.
    public var reason: Reason
    /// The name of a signal, an exclusive key or an approval; nil when the reason is sufficient.
    public var key: String?

    /// Details for people.
    public var detail: String?

    /// The kind of awaited event.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// The time before which an operation does not begin.
        case start
        /// The end of a delay.
        case delay
        /// The next attempt.
        case retry
        /// The next run of a repetition.
        case repetition = "repeat"
        /// The next poll of an upstream.
        case poll
        /// A signal from outside.
        case signal
        /// A request to its callback URL.
        case callback
        /// A person's decision.
        case approval
        /// A grant.
        case grant
        /// An exclusive key.
        case exclusion
        /// The upstream of a call, which requested a pause or whose breaker is open.
        case origin
        /// The next probe of an upstream.
        case reachability
        /// The opening of a time window.
        case timeWindow = "time_window"
        /// The release by the person who holds it.
        case hold
    }

    /// Equal when the bytes are: a wait for another spelling of a key is another wait.
    public static func == (left: OperationWait, right: OperationWait) -> Bool {
        left.until == right.until && left.reason == right.reason
            && left.key.map { ByteKey($0) } == right.key.map { ByteKey($0) }
            && left.detail.map { ByteKey($0) } == right.detail.map { ByteKey($0) }
    }

    /// Feeds the parts that distinguish most waits to the hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(until)
        hasher.combine(reason)
    }

    /// The detail of a wait for a callback whose URL was handed out.
    package static let handedOut = "handed_out"

    /// Whether only its date ends it.
    package var isForDate: Bool {
        switch reason {
        case .start, .delay, .retry, .repetition, .poll, .origin, .reachability, .timeWindow: until != nil
        case .signal, .callback, .approval, .grant, .exclusion, .hold: false
        }
    }

    /// The reason and the key as one word, which does not depend on the date.
    public var name: String { key.map { "\(reason.rawValue):\($0)" } ?? reason.rawValue }

    /// A wait.
    public init(until: Timestamp? = nil, reason: Reason, key: String? = nil, detail: String? = nil) {
        self.until = until
        self.reason = reason
        self.key = key
        self.detail = detail
    }
}
