import JobKit

/// The protections of upstreams that are active.
struct OriginGuards: Sendable, Hashable {
    /// One protection.
    enum Word: String, Sendable, Hashable, CaseIterable {
        /// A pause requested by one answer holds back all calls to its origin.
        case coolDown = "cool-down"
        /// An origin that mostly fails gets no calls for a while.
        case breaker
        /// Retries are limited to a share of all calls to an origin.
        case retryBudget = "retry-budget"
    }

    /// The active ones.
    var words = Set(Word.allCases)

    /// Activates all of them.
    init() {}

    /// Parses `none`, `all`, or a comma-separated list; nil for anything else.
    init?(_ text: String) {
        switch text {
        case "all": return
        case "none": words = []
        default:
            let parts = text.split(separator: ",", omittingEmptySubsequences: false)
            words = Set(parts.compactMap { Word(rawValue: String($0)) })
            guard words.count == parts.count else { return nil }
        }
    }

    /// The corresponding rules of the engine.
    var rules: OriginRules {
        var rules = OriginRules.standard
        rules.coolsDown = words.contains(.coolDown)
        rules.breaks = words.contains(.breaker)
        rules.limitsRetries = words.contains(.retryBudget)
        return rules
    }
}
