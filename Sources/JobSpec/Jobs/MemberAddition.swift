package import JobKit
package import StrictJSON

/// A member that was added to a group of a job after its submission.
package struct MemberAddition: Sendable, Hashable {
    /// The group: the names below the root; empty is the root.
    package var group: [String]
    package var spec: JSONValue

    package init(group: [String], spec: JSONValue) {
        self.group = group
        self.spec = spec
    }

    /// Appends the member to its group's list.
    /// - Returns: the whole spec with it, and the pointer to the member; nil when there is no such group.
    func added(to document: JSONValue) -> (JSONValue, JSONPointer)? {
        Self.add(spec, to: document, group[...], .root)
    }

    /// Gives the member a unique name if it has none and an existing one has the default name.
    mutating func giveName(after count: Int, besides names: Set<String>) {
        guard case .object(var object) = spec, let type = object.operationType else { return }
        var positions = FreePositions()
        let position = positions.next(from: count + 1, object) { !names.contains($0) }
        guard position > count + 1 else { return }
        object["name"] = .string(OperationSeat.member(position).defaultName(type))
        spec = .object(object)
    }

    private static func add(
        _ spec: JSONValue, to value: JSONValue, _ path: ArraySlice<String>, _ pointer: JSONPointer
    ) -> (JSONValue, JSONPointer)? {
        guard case .object(var object) = value, object["type"]?.string == "group",
            case .array(var operations)? = object["operations"]
        else { return nil }
        let list = pointer.appending("operations")
        guard let step = path.first else {
            let place = list.appending(operations.count)
            operations.append(spec)
            object["operations"] = .array(operations)
            return (.object(object), place)
        }
        guard let index = operations.indices.first(where: { isNamed(step, operations[$0], at: $0) }),
            let (changed, place) = add(
                spec, to: operations[index], path.dropFirst(), list.appending(index))
        else { return nil }
        operations[index] = changed
        object["operations"] = .array(operations)
        return (.object(object), place)
    }

    /// Whether an operation has a name, the written one or the default one.
    private static func isNamed(_ name: String, _ operation: JSONValue, at index: Int) -> Bool {
        guard case .object(let object) = operation else { return false }
        if let written = object["name"]?.string { return written.hasSameBytes(as: name) }
        guard let type = object.operationType, name.utf8.starts(with: type.utf8) else { return false }
        return "\(type)_\(index + 1)".hasSameBytes(as: name)
    }
}

extension JournalFold {
    /// The members that were added, in order.
    package var additions: [MemberAddition] {
        messages.compactMap { message in
            guard case .member(let group, let spec) = message.content else { return nil }
            return MemberAddition(group: group, spec: spec)
        }
    }
}

extension JobSpec {
    /// The written operation at a path below the root, which is no copy; nil when there is none.
    package func operation(at path: [String]) -> OperationSpec? {
        path.reduce(Optional(operation)) { $0?.member(named: $1) }
    }
}
