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
        var positions = FreePositions()
        for (index, element) in elements.enumerated()
        where !reading.isCut && reading.operationCount <= reading.limits.operationsMax {
            reading.enter(index)
            let mark = reading.references.count
            if readMember(element, index, of: &group, &names, taken, &positions, &reading) {
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
        if !reading.isCut { noteCycles(of: group, names, &reading) }
    }

    /// Reads one member; false when there is none to go on with.
    private func readMember(
        _ element: JSONValue, _ index: Int, of group: inout GroupSpec, _ names: inout SiblingNames,
        _ taken: SiblingNames?, _ positions: inout FreePositions, _ reading: inout SpecReading
    ) -> Bool {
        guard case .object(let object) = element else {
            reading.wrongType(element, "an operation, which is an object")
            return false
        }
        let position = taken.map { taken in
            positions.next(from: index + 1, object) {
                taken.position(of: $0) == nil && names.position(of: $0) == nil
            }
        }
        guard
            let operation = OperationReader(scope).read(object, at: .member(position ?? index + 1), &reading)
        else {
            if let name = object["name"]?.string { names.addBroken(name) }
            return false
        }
        if let other = names.add(operation.name) {
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
            where !reading.isCut && names.position(of: edge.operation) == nil
                && !names.isBroken(edge.operation)
            {
                let pointer = reading.pointer.appending(names.elements[position]).appending("after")
                    .appending(number)
                reading.note(
                    at: pointer, .unknownReference,
                    "There is no operation \"\(String(quotable: edge.operation))\" in this group; "
                        + "\"after\" names siblings.",
                    suggestion: reading.nearest(to: edge.operation, in: names.all))
            }
        }
    }

    /// Operations that wait for each other, each cycle once.
    private func noteCycles(of group: GroupSpec, _ names: SiblingNames, _ reading: inout SpecReading) {
        var cycles = DependencyCycles(of: group, position: names.position)
        while !reading.isCut, let cycle = cycles.next() {
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
        var inside = scope
        inside.isFinal = true
        GroupMemberReader(inside).readMembers(elements, of: &finals, &finalNames, taken: names, &reading)
        for operation in finals.operations
        where !reading.isCut && names.position(of: operation.name) != nil {
            reading.note(
                .duplicateName,
                "\"\(operation.name)\" is the name of an operation of the group, too. Rename one of them.")
        }
        group.finals = finals.operations
        var left: [PendingReference] = []
        var paths = InnerPaths()
        for var reference in reading.references[mark...] where !reading.isCut {
            let steps = reference.steps
            guard let target = names.position(of: steps[0]) else {
                reference.visible.append(names.all)
                left.append(reference)
                continue
            }
            paths.check(reference, steps.dropFirst(), at: target, in: group, &reading)
        }
        reading.references.removeSubrange(mark...)
        reading.references += left
    }
}

/// The names of the members of one group.
struct SiblingNames {
    /// For each member read, its index in the spec's list.
    var elements: [Int] = []
    /// The names in the order of the members.
    private(set) var all: [String] = []
    /// Names of members that could not be read.
    private var broken: [String] = []
    private var index = NameIndex()
    private var brokenIndex = NameIndex()

    /// Adds the name of the next member; returns the position that already has it.
    mutating func add(_ name: String) -> Int? {
        if let other = index.position(of: name, in: all, by: { $0 }) { return other }
        all.append(name)
        return nil
    }

    /// Adds the name of a member that could not be read.
    mutating func addBroken(_ name: String) {
        broken.append(name)
        brokenIndex.update(broken, by: { $0 })
    }

    func position(of name: String) -> Int? { index.place(of: name, in: all, by: { $0 }) }

    func isBroken(_ name: String) -> Bool {
        brokenIndex.place(of: name, in: broken, by: { $0 }) != nil
    }
}
