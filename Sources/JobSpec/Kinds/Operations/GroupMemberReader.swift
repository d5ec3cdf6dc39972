internal import JobKit
internal import StrictJSON

/// Reads the members of a group, and the edges between them.
struct GroupMemberReader {
    /// The scope inside the group.
    let scope: SpecScope

    init(_ scope: SpecScope) { self.scope = scope }

    /// The list `operations`; false when there is none.
    func readMembers(
        _ value: JSONValue, of group: inout GroupSpec, _ names: inout SiblingNames,
        _ reading: inout SpecReading
    ) -> Bool {
        guard case .array(let elements) = value else {
            reading.wrongType(value, "a list of operations")
            return false
        }
        if elements.isEmpty { reading.note(.outOfRange, "A group has at least one operation.") }
        readMembers(elements, of: &group, &names, &reading)
        return true
    }

    /// - Parameter taken: the names that others have.
    private func readMembers(
        _ elements: [JSONValue], of group: inout GroupSpec, _ names: inout SiblingNames,
        taken: SiblingNames? = nil, _ reading: inout SpecReading
    ) {
        group.operations.reserveCapacity(min(elements.count, reading.limits.operationsMax))
        let firstReference = reading.references.count
        for (index, element) in elements.enumerated()
        where reading.operationCount <= reading.limits.operationsMax {
            reading.enter(index)
            let mark = reading.references.count
            if readMember(element, index, of: &group, &names, taken, &reading) {
                for position in mark..<reading.references.count {
                    reading.references[position].member = group.operations.count - 1
                }
            } else {
                reading.references.removeSubrange(mark...)
            }
            reading.leave()
        }
        checkEdges(of: group, names, &reading)
        ReferenceResolver.connect(from: firstReference, to: &group, names, &reading)
        noteCycles(of: group, names, &reading)
    }

    /// Reads one member; false when there is none to go on with.
    private func readMember(
        _ element: JSONValue, _ index: Int, of group: inout GroupSpec, _ names: inout SiblingNames,
        _ taken: SiblingNames?, _ reading: inout SpecReading
    ) -> Bool {
        guard case .object(let object) = element else {
            reading.wrongType(element, "an operation, which is an object")
            return false
        }
        let position = taken.map { taken in
            OperationSeat.freePosition(from: index + 1, object) {
                taken.position(of: $0) == nil && names.position(of: $0) == nil
            }
        }
        guard
            let operation = OperationReader(scope).read(object, at: .member(position ?? index + 1), &reading)
        else {
            if let name = object["name"]?.string { names.broken.append(name) }
            return false
        }
        if let other = names.add(operation.name, at: group.operations.count) {
            noteDuplicate(
                operation.name, isWritten: object["name"] != nil, other: names.elements[other], &reading)
            return false
        }
        names.elements.append(index)
        group.operations.append(operation)
        return true
    }

    private func noteDuplicate(_ name: String, isWritten: Bool, other: Int, _ reading: inout SpecReading) {
        let remedy = isWritten ? "Rename one of them." : "Give this one a different name."
        reading.note(
            at: isWritten ? reading.pointer.appending("name") : reading.pointer, .duplicateName,
            "Operation \(other + 1) of this group is called \"\(name)\", too. \(remedy)")
    }

    /// Every edge must lead to a sibling.
    private func checkEdges(of group: GroupSpec, _ names: SiblingNames, _ reading: inout SpecReading) {
        for (position, operation) in group.operations.enumerated() {
            for (number, edge) in operation.after.enumerated()
            where names.position(of: edge.operation) == nil && !names.broken.contains(edge.operation) {
                let pointer = reading.pointer.appending(names.elements[position]).appending("after")
                    .appending(number)
                reading.note(
                    at: pointer, .unknownReference,
                    "There is no operation \"\(String(quotable: edge.operation))\" in this group; "
                        + "\"after\" names siblings.",
                    suggestion: names.nearest(to: edge.operation))
            }
        }
    }

    /// Operations that wait for each other, each cycle once.
    private func noteCycles(of group: GroupSpec, _ names: SiblingNames, _ reading: inout SpecReading) {
        for cycle in DependencyCycles(of: group, position: names.position).found {
            let path = cycle.map { group.operations[$0].name }.joined(separator: " → ")
            let first = cycle.first ?? 0
            var detail = "These wait for each other for ever: \(path). Take one of the dependencies away."
            if group.ordered {
                detail += " The group is ordered, so each step also waits for the one before it."
            }
            reading.note(at: reading.pointer.appending(names.elements[first]), .dependencyCycle, detail)
        }
    }

    /// Reads members that run at the very end. What these take from the other members needs no edges, since all of them
    /// are over by then.
    func readFinals(
        _ value: JSONValue, of group: inout GroupSpec, _ names: SiblingNames, firstReference: Int,
        _ reading: inout SpecReading
    ) {
        guard case .array(let elements) = value else {
            return reading.wrongType(value, "a list of operations")
        }
        if elements.isEmpty {
            reading.note(.outOfRange, "List at least one operation, or leave \"finally\" out.")
        }
        let mark = reading.references.count
        var finals = GroupSpec(operations: [])
        var finalNames = SiblingNames()
        readMembers(elements, of: &finals, &finalNames, taken: names, &reading)
        for operation in finals.operations where names.position(of: operation.name) != nil {
            reading.note(
                .duplicateName,
                "\"\(operation.name)\" is the name of an operation of the group, too. Rename one of them.")
        }
        group.finals = finals.operations
        var left: [PendingReference] = []
        for var reference in reading.references[mark...] {
            let steps = reference.operation.split(separator: "/", omittingEmptySubsequences: false).map(
                String.init)
            guard let target = names.position(of: steps.first ?? "") else {
                reference.visible += names.all
                left.append(reference)
                continue
            }
            ReferenceResolver.check(
                reference, Array(steps.dropFirst()), in: group.operations[target], &reading)
        }
        reading.references.removeSubrange(mark...)
        reading.references += left
    }
}

/// The names of the members of one group.
struct SiblingNames {
    /// For each member read, its index in the spec's list.
    var elements: [Int] = []
    /// Names of members that could not be read.
    var broken: [String] = []
    private var positions: [String: Int] = [:]

    /// Adds a name; returns the position that already has it.
    mutating func add(_ name: String, at position: Int) -> Int? {
        if let other = positions[name] { return other }
        positions[name] = position
        return nil
    }

    func position(of name: String) -> Int? { positions[name] }

    func nearest(to name: String) -> String? {
        SpellingSuggestion.nearest(to: name, in: positions.keys.sorted())
    }

    var all: [String] { positions.keys.sorted() }
}
