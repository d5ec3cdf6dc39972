/// What an operation waits for when nothing of it can go on: it needs no memory until then.
public struct OperationWait: Sendable, Hashable {
    /// Until when at the latest; nil when no date ends the wait.
    public var until: Timestamp?
    /// What kind of thing ends it.
    public var reason: Reason
    /// Which one: the name of a signal, an exclusive key, an approval; nil when the reason says it all.
    public var key: String?

    /// More about it, for people.
    public var detail: String?

    /// What kind of thing a wait is for.
    public enum Reason: String, Sendable, Hashable, CaseIterable {
        /// A delay's end.
        case delay
        /// The next attempt.
        case retry
        /// The next run of a repetition.
        case repetition = "repeat"
        /// The next look at something upstream.
        case poll
        /// A signal from outside.
        case signal
        /// A person's decision.
        case approval
        /// A grant.
        case grant
        /// An exclusive key.
        case exclusion
        /// The upstream of a call, which asked for a pause or is broken.
        case origin
        /// The next try to reach something.
        case reachability
        /// A time window's opening.
        case timeWindow = "time_window"
        /// A person, who holds it.
        case hold
    }

    /// Whether nothing ends it but its date.
    package var isForDate: Bool {
        switch reason {
        case .delay, .retry, .repetition, .poll, .origin, .reachability, .timeWindow: until != nil
        case .signal, .approval, .grant, .exclusion, .hold: false
        }
    }

    /// The reason and the key as one word, which stays the same when the date moves.
    public var name: String { key.map { "\(reason.rawValue):\($0)" } ?? reason.rawValue }

    /// A wait.
    public init(until: Timestamp? = nil, reason: Reason, key: String? = nil, detail: String? = nil) {
        self.until = until
        self.reason = reason
        self.key = key
        self.detail = detail
    }
}
