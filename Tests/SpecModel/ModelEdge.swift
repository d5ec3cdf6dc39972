/// An operation beside another one that it follows, and how that must have ended.
package struct ModelEdge: Sendable, Equatable {
    package enum Need: String, Sendable {
        case succeeded, any, failed
        /// By the order of the group: it succeeded, was skipped by its own `when` or condition, or failed with
        /// `on_failure` `continue`.
        case inOrder
    }

    package let name: String
    package let need: Need
    package let isImplied: Bool
}

extension ModelSpec {
    /// The edges of this member of a group.
    ///
    /// - Parameters:
    ///   - siblings: all members of the group.
    ///   - before: the member before it, when the group is ordered.
    package func edges(among siblings: [ModelSpec], before: ModelSpec?) -> [ModelEdge] {
        var edges = after.map { ModelEdge(name: $0.name, need: $0.need, isImplied: false) }
        let written = Set(after.map(\.name))
        var implied: [(name: String, need: ModelEdge.Need)] = []
        for reference in references {
            // The target is beside it, or inside of one beside it.
            let first = String(reference.path.prefix { $0 != "/" })
            guard siblings.contains(where: { $0.name == first }), first != name, !written.contains(first)
            else {
                continue
            }
            let need = reference.isNeeded ? ModelEdge.Need.succeeded : .any
            if let place = implied.firstIndex(where: { $0.name == first }) {
                if need == .succeeded { implied[place].need = need }
            } else {
                implied.append((first, need))
            }
        }
        edges += implied.map { ModelEdge(name: $0.name, need: $0.need, isImplied: true) }
        // A written edge to the member before replaces that of the order; one of a reference stands beside it.
        if let before, !written.contains(before.name) {
            edges.append(ModelEdge(name: before.name, need: .inOrder, isImplied: true))
        }
        return edges
    }

    /// The references of this operation and of all inside it.
    private var references: [(path: String, isNeeded: Bool)] {
        var found: [(path: String, isNeeded: Bool)] = []
        switch kind {
        case .value(let value): found += value.references
        case .each(let items, _, _, _): found += items.references
        case .choice(let branches): found += branches.flatMap { $0.when?.references ?? [] }
        case .transform(let transform):
            // With a rescue it runs whatever became of the others.
            found += transform.input.references.map { ($0.path, $0.isNeeded && transform.rescue == nil) }
        case .call, .delay, .group, .repetition: break
        }
        found += when?.references ?? []
        for one in conditions { found += one.condition.references }
        for one in inner { found += one.references }
        return found
    }
}

extension ModelValue {
    var references: [(path: String, isNeeded: Bool)] {
        switch self {
        case .get(let path, _, let instead): [(path, instead == nil)]
        case .object(let members): members.flatMap(\.value.references)
        case .json, .fact, .item: []
        }
    }
}

extension ModelPredicate {
    var references: [(path: String, isNeeded: Bool)] {
        switch self {
        case .test(.get(let path, _), _): [(path, true)]
        case .test: []
        case .all(let parts), .any(let parts): parts.flatMap(\.references)
        case .not(let part): part.references
        }
    }
}

extension ModelCondition {
    var references: [(path: String, isNeeded: Bool)] {
        switch self {
        case .when(let predicate): predicate.references
        case .all(let parts), .any(let parts): parts.flatMap(\.references)
        case .not(let one): one.references
        }
    }
}
