import StrictJSON

/// A value that is not there.
struct ModelMissing: Error {}

extension ModelOperation {
    // MARK: Values

    func value(_ value: ModelValue) throws(ModelMissing) -> JSONValue {
        switch value {
        case .json(let json): return json
        case .object(let members):
            var object = JSONObject()
            for member in members { object[member.name] = try self.value(member.value) }
            return .object(object)
        case .get(let path, let at, let instead):
            if let found = look(up: path)?.place(at ?? ["body"]) ?? instead { return found }
        case .fact(let name, let at, let instead):
            if let found = fact(name)?.at(at) ?? instead { return found }
        case .item(let at):
            if let found = nearestItem?.at(at) { return found }
        }
        throw ModelMissing()
    }

    private var nearestItem: JSONValue? { item ?? parent?.nearestItem }

    private func fact(_ name: String) -> JSONValue? {
        switch name {
        case "priority": 5
        case "labels": ["team": "red"]
        case "operation":
            .string(path.isEmpty && misreading != .rootHasNoPath ? "_root" : path.joined(separator: "/"))
        case "operation_name": .string(spec.name)
        default: nil
        }
    }

    /// The operation that a reference means: one beside this one or beside what this one is in, or inside of one.
    private func look(up path: String) -> ModelOperation? {
        let names = path.split(separator: "/").map(String.init)
        var level = parent
        while let group = level {
            if case .group = group.spec.kind, let found = group.inside(named: names[0]) {
                return found.descend(names.dropFirst())
            }
            if case .each = group.spec.kind,
                let found = group.finals.first(where: { $0.spec.name == names[0] })
            {
                return found.descend(names.dropFirst())
            }
            level = group.parent
        }
        return nil
    }

    private func inside(named name: String) -> ModelOperation? {
        (members + finals).first { $0.spec.name == name }
    }

    private func descend(_ names: ArraySlice<String>) -> ModelOperation? {
        guard let name = names.first else { return self }
        return inside(named: name)?.descend(names.dropFirst())
    }

    /// A place in what is known of it: nil when there is nothing.
    private func place(_ at: [String]) -> JSONValue? {
        if isUnrun, misreading == .unrunHasNoState { return nil }
        guard hasEnded, let first = at.first else { return nil }
        switch first {
        case "state": return .string(state)
        case "body": return result?.at(Array(at.dropFirst()))
        default: return nil
        }
    }

    // MARK: Predicates

    /// - Parameter run: the last run of a repetition.
    func holds(_ predicate: ModelPredicate, of run: ModelOperation? = nil) -> Bool {
        switch predicate {
        case .all(let parts): return parts.allSatisfy { holds($0, of: run) }
        case .any(let parts): return parts.contains { holds($0, of: run) }
        case .not(let part): return !holds(part, of: run)
        case .test(let source, let test):
            let found: JSONValue? =
                switch source {
                case .own(let at): run?.place(at)
                case .get(let path, let at): look(up: path)?.place(at)
                case .fact(let name, let at): fact(name)?.at(at)
                case .item(let at): nearestItem?.at(at)
                }
            return holds(test, of: found)
        }
    }

    private func holds(_ test: ModelPredicate.Test, of found: JSONValue?) -> Bool {
        switch test {
        case .equals(let value): return found == value
        case .notEquals(let value): return found != value
        case .exists(let isThere): return (found != nil) == isThere
        case .greater(let number): return found?.number?.int64.map { $0 > Int64(number) } ?? false
        case .contains(let text): return found?.string.map { contains($0, text) } ?? false
        }
    }

    private func contains(_ whole: String, _ part: String) -> Bool {
        let (whole, part) = (Array(whole.utf8), Array(part.utf8))
        guard whole.count >= part.count else { return false }
        return (0...(whole.count - part.count)).contains { whole[$0..<($0 + part.count)].elementsEqual(part) }
    }

    // MARK: Conditions

    enum Verdict { case holds, skips, fails }

    func verdict(of requirement: ModelRequirement) -> Verdict {
        if holds(requirement.condition) { return .holds }
        let skips = requirement.skips && misreading != .otherwiseIsNotHeard
        return skips ? .skips : .fails
    }

    private func holds(_ condition: ModelCondition) -> Bool {
        switch condition {
        case .when(let predicate): holds(predicate)
        case .all(let parts): parts.allSatisfy(holds)
        case .any(let parts): parts.contains(where: holds)
        case .not(let one): !holds(one)
        }
    }

    /// The elements of its input, or what stands for the result; throws when there is no such list.
    func transformed(_ transform: ModelTransform) throws(ModelMissing) -> JSONValue {
        if misreading == .rescueBeforeDefault, let rescue = transform.rescue,
            case .get(let path, _, _) = transform.input, look(up: path)?.hasSucceeded != true
        {
            return rescue
        }
        let input: JSONValue
        do {
            input = try value(transform.input)
        } catch {
            if let rescue = transform.rescue { return rescue }
            throw error
        }
        if transform.above == nil, transform.reduction == nil { return input }
        guard var elements = input.array else { throw ModelMissing() }
        if let above = transform.above {
            elements = elements.filter { $0.number?.int64.map { $0 > Int64(above) } ?? false }
        }
        switch transform.reduction {
        case nil: return .array(elements)
        case .count: return JSONValue(integerLiteral: Int64(elements.count))
        case .first: return elements.first ?? .null
        case .sum:
            var sum: Int64 = 0
            for element in elements {
                guard let number = element.number?.int64 else { throw ModelMissing() }
                sum += number
            }
            return JSONValue(integerLiteral: sum)
        }
    }
}

extension JSONValue {
    /// The value at a place inside this one; nil when there is none.
    fileprivate func at(_ tokens: [String]) -> JSONValue? {
        guard let token = tokens.first else { return self }
        let rest = Array(tokens.dropFirst())
        if let object { return object[token]?.at(rest) }
        guard let array, let place = Int(token), array.indices.contains(place) else { return nil }
        return array[place].at(rest)
    }
}
