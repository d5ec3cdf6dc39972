import StrictJSON

extension ModelRun.Outcome {
    /// A difference, and how much agrees with the model before it.
    package struct Difference {
        package var text: String
        package var agreed: Int
    }

    /// The difference of an outcome that was found from this one; nil without one.
    package func difference(from found: ModelRun.Outcome) -> Difference? {
        let paths = ends.keys.sorted { $0.lexicographicallyPrecedes($1) }
        var agreed = 0
        var text: String?
        for path in paths {
            if let difference = difference(at: path, from: found) {
                text = text ?? difference
            } else {
                agreed += 1
            }
        }
        text = text ?? differenceElsewhere(from: found)
        return text.map { Difference(text: $0, agreed: agreed) }
    }

    private func difference(at path: [String], from found: ModelRun.Outcome) -> String? {
        let name = path.joined(separator: "/")
        guard let end = ends[path], let other = found.ends[path] else { return "\"\(name)\" is missing" }
        if other.state != end.state { return "\"\(name)\" is \(other.state), not \(end.state)" }
        if end.state == "succeeded", let result = end.result, other.result != result {
            return "\"\(name)\" has \(other.text), not \(end.text)"
        }
        if !end.codes.isEmpty, end.codes.isDisjoint(with: other.codes) {
            return "\"\(name)\" was skipped with \(other.codes), not \(end.codes)"
        }
        return nil
    }

    private func differenceElsewhere(from found: ModelRun.Outcome) -> String? {
        for (path, end) in found.ends where ends[path] == nil {
            let name = path.joined(separator: "/")
            guard leftOver.contains(path) else { return "\"\(name)\" should not be there" }
            if end.state != "skipped" && end.state != "cancelled" {
                return "\"\(name)\" of an earlier try is \(end.state)"
            }
        }
        let wrong = called.symmetricDifference(found.called).map { $0.joined(separator: "/") }.sorted()
        return wrong.isEmpty ? nil : "the model and the engine make different calls: \(wrong)"
    }
}

extension ModelRun.End {
    fileprivate var text: String {
        result.map { String(decoding: $0.encoded(), as: UTF8.self) } ?? "nothing"
    }
}

extension ModelSpec {
    /// Whether its outcome may depend on what happens first.
    package var hasRaces: Bool { stopsMembers || inner.contains(where: \.hasRaces) }

    /// Whether the end of a member may stop others.
    var stopsMembers: Bool {
        switch kind {
        case .group(_, _, let rules), .each(_, _, _, let rules): rules.cancelsRest || rules.failsFast
        default: false
        }
    }

    /// The edges of all members of groups, by path, as a plan shows them: the other one, how it must have ended, and
    /// whether that is implied.
    package func plan(at path: [String] = [], misreading: ModelMisreading? = nil) -> [[String]: Set<String>] {
        var found: [[String]: Set<String>] = [:]
        if case .group(let members, let finals, let rules) = kind {
            for (place, member) in members.enumerated() {
                let before = rules.isOrdered && place > 0 ? members[place - 1] : nil
                let edges = member.edges(among: members, before: before)
                let isHidden =
                    misreading == .planHidesOrder
                    && edges.contains { $0.name == before?.name && $0.need != .inOrder }
                let shown = isHidden ? edges.filter { $0.need != .inOrder } : edges
                found[path + [member.name]] = Self.shown(shown, before)
                found.merge(member.plan(at: path + [member.name], misreading: misreading)) { $1 }
            }
            for final in finals {
                found[path + [final.name]] = Self.shown(final.edges(among: finals, before: nil), nil)
                found.merge(final.plan(at: path + [final.name], misreading: misreading)) { $1 }
            }
        } else {
            let inside: [ModelSpec] =
                switch kind {
                case .choice: inner
                default: []
                }
            for one in inside { found.merge(one.plan(at: path + [one.name], misreading: misreading)) { $1 } }
        }
        return found
    }

    /// One edge for each operation, the strongest.
    private static func shown(_ edges: [ModelEdge], _ before: ModelSpec?) -> Set<String> {
        var needs: [String: (need: ModelEdge.Need, isImplied: Bool)] = [:]
        for edge in edges {
            let need =
                edge.need == .inOrder
                ? before?.continues == true ? ModelEdge.Need.any : .succeeded : edge.need
            if let known = needs[edge.name], known.need == .succeeded { continue }
            needs[edge.name] = (need, edge.isImplied)
        }
        return Set(needs.map { "\($0.key) \($0.value.need.rawValue) \($0.value.isImplied)" })
    }
}
