/// When a group succeeds, given the outcomes of its members.
///
/// A member that was cancelled on its own or skipped is neither a success nor a failure.
public struct GroupCompletion: Sendable, Hashable {
    /// The number of members that must succeed, or that may fail.
    public enum Rule: Sendable, Hashable {
        /// No member fails.
        case all
        /// At least one member succeeds; a group without members does, too.
        case any
        /// At least this many members succeed.
        case atLeast(Int)
        /// At most this many members fail, and at most this percentage of them, 0…100; nil is no limit.
        case tolerate(count: Int?, percent: Double?)
    }

    /// The deciding rule.
    public var rule: Rule
    /// Whether the other members are stopped as soon as `any` or `atLeast` is reached.
    public var cancelsRest: Bool

    /// A rule.
    public init(_ rule: Rule, cancelsRest: Bool = false) {
        self.rule = rule
        self.cancelsRest = cancelsRest
    }

    /// No member fails.
    public static let all = GroupCompletion(.all)
    /// The first success is enough, and stops the others.
    public static let firstSuccess = GroupCompletion(.any, cancelsRest: true)

    /// Whether a group whose members are all finished succeeds.
    public func isMet(_ count: GroupCount) -> Bool {
        switch rule {
        case .all: count.failed == 0
        case .any: count.succeeded > 0 || count.total == 0
        case .atLeast(let needed): count.succeeded >= needed
        case .tolerate: !exceedsTolerance(count)
        }
    }

    /// Whether enough members succeeded, whatever the outcome of the others.
    public func isReached(_ count: GroupCount) -> Bool {
        switch rule {
        case .any: count.succeeded > 0
        case .atLeast(let needed): count.succeeded >= needed
        case .all, .tolerate: false
        }
    }

    /// Whether so many members failed that the existing ones cannot reach the completion any more.
    public func isHopeless(_ count: GroupCount) -> Bool {
        switch rule {
        case .all: count.failed > 0
        case .any: count.succeeded + count.open == 0 && count.failed > 0
        case .atLeast(let needed): count.succeeded + count.open < needed
        case .tolerate: exceedsTolerance(count)
        }
    }

    /// Whether so many members failed that even added ones cannot reach the completion any more.
    public func isLost(_ count: GroupCount) -> Bool {
        switch rule {
        case .all: return count.failed > 0
        case .tolerate(let most?, _): return count.failed > most
        case .tolerate(nil, nil): return count.failed > 0
        case .any, .atLeast, .tolerate: return false
        }
    }

    private func exceedsTolerance(_ count: GroupCount) -> Bool {
        guard case .tolerate(let most, let percent) = rule else { return false }
        if let most, count.failed > most { return true }
        if let percent, Double(count.failed) * 100 > percent * Double(count.total) { return true }
        return most == nil && percent == nil && count.failed > 0
    }
}

/// The number of members of a group by state.
public struct GroupCount: Sendable, Hashable {
    /// Not finished.
    public var open = 0
    /// Members that succeeded, or of whose errors `GroupErrorPolicy` left none.
    public var succeeded = 0
    /// Failed.
    public var failed = 0
    /// Failed in a way that does not count for the group: neither a success nor a failure.
    public var excused = 0
    /// Cancelled.
    public var cancelled = 0
    /// Skipped.
    public var skipped = 0

    /// No members.
    public init() {}

    /// All members.
    public var total: Int { open + succeeded + failed + excused + cancelled + skipped }
}
