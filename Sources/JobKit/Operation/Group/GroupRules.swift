/// How a group runs its members and what it makes of their outcomes.
public struct GroupRules: Sendable {
    /// Whether members run one after the other.
    public enum Order: Sendable, Hashable {
        /// Members run as soon as they can.
        case none
        /// One after the other; what comes behind a failure is skipped.
        case stopsAtFailure
        /// One after the other, whatever becomes of each.
        case carriesOn
    }

    /// How many members are executed at once; nil is no limit.
    public var concurrency: Int?
    /// Whether members run in the order in which they were added, late ones last.
    public var order: Order
    /// Whether the other members are stopped as soon as the group cannot succeed any more.
    public var failsFast: Bool
    /// When the group succeeds.
    public var completion: GroupCompletion
    /// What the group makes of the errors of its members.
    public var childErrors: GroupErrorPolicy

    /// Rules.
    public init(
        concurrency: Int? = nil, order: Order = .none, failsFast: Bool = false,
        completion: GroupCompletion = .all, childErrors: GroupErrorPolicy = []
    ) {
        self.concurrency = concurrency
        self.order = order
        self.failsFast = failsFast
        self.completion = completion
        self.childErrors = childErrors
    }

    /// At most this many errors of members are kept; the others are counted.
    static let errorsMax = 100
}
