internal import JobKit

/// The written members of `retry`.
struct RetryMembers {
    /// The changes to the rule, by member.
    private(set) var changes: [String: @Sendable (inout RetrySpec) -> Void] = [:]

    /// Adds a member; nil, for an invalid one, adds nothing.
    mutating func set<Value: Sendable>(
        _ name: String, _ value: Value?, _ change: @escaping @Sendable (inout RetrySpec, Value) -> Void
    ) {
        guard let value else { return }
        changes[name] = { change(&$0, value) }
    }

    /// The rule: these members, then those of `others`, then the standard ones; nil when neither has any.
    func rule(over others: RetryMembers) -> RetrySpec? {
        guard !changes.isEmpty || !others.changes.isEmpty else { return nil }
        var rule = RetrySpec.standard
        for change in others.changes.values { change(&rule) }
        for change in changes.values { change(&rule) }
        return rule
    }
}
