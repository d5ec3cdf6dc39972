internal import HTTPMessage

/// The surroundings of a position in a spec, as far as they decide what is permitted there.
struct SpecScope: Sendable {
    /// Whether secrets may be named.
    enum Secrets: Sendable {
        /// Refused: the value is stored and shown.
        case refused
        /// Permitted: the value is sent and never shown.
        case allowed
        /// Literal confidential values are refused, because others can read them.
        case required
    }

    var secrets = Secrets.refused
    /// Whether URLs may be relative to the base of a connection.
    var hasBase = false
    /// Whether the position belongs to a callback: a separate job, which knows this one only by its event.
    var isCallback = false
    /// Whether the value here is used even when the operations that it refers to did not succeed.
    var isRescued = false
    /// Whether the position belongs to something that runs finally.
    var isFinal = false
    /// The number of conditions and predicates around.
    var nesting = 0
    /// The number of operations around.
    var depth = 0
    /// The addresses that may be called; nil leaves them unchecked.
    var egress: EgressPolicy?
    private var shared = Shared.empty

    /// - Parameter egress: the addresses that may be called; nil leaves them unchecked.
    init(egress: EgressPolicy? = nil) { self.egress = egress }

    /// The names (`as`) of the maps around, from the outside in.
    var items: [String?] {
        get { shared.facts.items }
        set { change { $0.items = newValue } }
    }

    /// The names of the repeats around, from the outside in.
    var repeats: [String] {
        get { shared.facts.repeats }
        set { change { $0.repeats = newValue } }
    }

    /// The templates around, from the outside in.
    var templates: [String] {
        get { shared.facts.templates }
        set { change { $0.templates = newValue } }
    }

    /// Settings that calls take over when they do not say them themselves.
    var defaults: CallDefaults {
        get { shared.facts.defaults }
        set { change { $0.defaults = newValue } }
    }

    /// Facts that are the same at most positions. Scopes share them, so that copies are cheap.
    private final class Shared: Sendable {
        static let empty = Shared(Facts())
        let facts: Facts

        init(_ facts: Facts) { self.facts = facts }
    }

    private struct Facts: Sendable {
        var items: [String?] = []
        var repeats: [String] = []
        var templates: [String] = []
        var defaults = CallDefaults()
    }

    private mutating func change(_ change: (inout Facts) -> Void) {
        var facts = shared.facts
        change(&facts)
        shared = Shared(facts)
    }

    /// The scope inside one more condition or predicate.
    var nested: SpecScope {
        var inner = self
        inner.nesting += 1
        return inner
    }

    /// The scope inside one more operation.
    var deeper: SpecScope {
        var inner = self
        inner.depth += 1
        return inner
    }

    /// The scope inside a map, which calls its element `name`.
    func inMap(as name: String?) -> SpecScope {
        var inner = self
        inner.items.append(name)
        return inner
    }

    /// The scope of what the repeat `name` runs.
    func inRepeat(named name: String) -> SpecScope {
        var inner = self
        inner.repeats.append(name)
        return inner
    }

    /// The scope of a request.
    func inRequest(hasBase: Bool) -> SpecScope {
        var inner = self
        inner.secrets = .allowed
        inner.hasBase = hasBase
        return inner
    }
}

/// Settings that calls take over from the job's `defaults` when they do not say them themselves.
struct CallDefaults: Sendable {
    var connection: String?
    var retry = RetryMembers()
    var timeouts = TimeoutMembers()
}
