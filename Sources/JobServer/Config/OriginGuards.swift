import JobKit

/// Which rules for upstreams are in force.
struct OriginGuards: Sendable, Hashable {
    /// One of the rules.
    enum Word: String, Sendable, Hashable, CaseIterable {
        /// A pause that one answer asks for holds back every call of its origin.
        case coolDown = "cool-down"
        /// An origin that mostly fails is left alone for a while.
        case breaker
        /// Repeated calls are only a share of all calls of an origin.
        case retryBudget = "retry-budget"
    }

    /// Those that are.
    var words = Set(Word.allCases)

    /// All of them.
    init() {}

    /// `none`, `all`, or some of them with commas between; nil for anything else.
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

    /// The rules for the engine.
    var rules: OriginRules {
        var rules = OriginRules.standard
        rules.coolsDown = words.contains(.coolDown)
        rules.breaks = words.contains(.breaker)
        rules.limitsRetries = words.contains(.retryBudget)
        return rules
    }
}
