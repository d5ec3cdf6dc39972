internal import StrictJSON

/// Groups, and what the members of a group have to do with each other.
extension SpecReading {
    mutating func group(_ object: JSONObject) -> GroupSpec? {
        var group = GroupSpec(operations: [])
        if let value = object["concurrency"] {
            group.concurrency = inside("concurrency") { $0.int(value, in: 1...10_000) }
        }
        if let value = object["ordered"] { group.ordered = inside("ordered") { $0.bool(value) } ?? false }
        if let value = object["fail_fast"] {
            group.failFast = inside("fail_fast") { $0.bool(value) } ?? false
        }
        readRules(object, of: &group)
        guard groupDepth < limits.groupDepthMax else {
            note(
                member: object["map"] == nil ? "operations" : "map", .tooDeep,
                "Groups are nested more than \(limits.groupDepthMax) deep. Use \"after\" inside one group instead."
            )
            return nil
        }
        groupDepth += 1
        defer { groupDepth -= 1 }
        var names = SiblingNames()
        let firstReference = references.count
        switch (object["operations"], object["map"]) {
        case (let value?, nil):
            guard inside("operations", { $0.readMembers(value, of: &group, &names) }) else { return nil }
        case (nil, let value?):
            guard let each = inside("map", { $0.each(value, &group) }) else { return nil }
            group.each = each
        case (nil, nil):
            missing(
                "operations", "A group lists its members.",
                suggestion: #""operations": [{"type": "delay", "for": "1s"}]"#)
            return nil
        default:
            note(
                member: "map", .conflict,
                "A group has \"operations\" or makes them with \"map\", not both. Leave one out.")
            return nil
        }
        if let value = object["finally"] {
            inside("finally") { $0.readFinals(value, of: &group, names, firstReference: firstReference) }
        }
        return group
    }

    private mutating func readMembers(
        _ value: JSONValue, of group: inout GroupSpec, _ names: inout SiblingNames
    ) -> Bool {
        guard case .array(let elements) = value else {
            wrongType(value, "a list of operations")
            return false
        }
        if elements.isEmpty { note(.outOfRange, "A group has at least one operation.") }
        readMembers(elements, of: &group, &names)
        return true
    }

    /// - Parameter taken: the names that others have.
    mutating func readMembers(
        _ elements: [JSONValue], of group: inout GroupSpec, _ names: inout SiblingNames,
        taken: SiblingNames? = nil
    ) {
        group.operations.reserveCapacity(min(elements.count, limits.operationsMax))
        let firstReference = references.count
        for (index, element) in elements.enumerated() where operationCount <= limits.operationsMax {
            enter(index)
            let mark = references.count
            if readMember(element, index, of: &group, &names, taken) {
                for position in mark..<references.count {
                    references[position].member = group.operations.count - 1
                }
            } else {
                references.removeSubrange(mark...)
            }
            leave()
        }
        checkEdges(of: group, names)
        connectReferences(from: firstReference, to: &group, names)
        noteCycles(of: group, names)
    }

    /// Reads one member; false when there is none to go on with.
    private mutating func readMember(
        _ element: JSONValue, _ index: Int, of group: inout GroupSpec, _ names: inout SiblingNames,
        _ taken: SiblingNames?
    ) -> Bool {
        guard case .object(let object) = element else {
            wrongType(element, "an operation, which is an object")
            return false
        }
        let position = taken.map { taken in
            Seat.freePosition(from: index + 1, object) {
                taken.position(of: $0) == nil && names.position(of: $0) == nil
            }
        }
        guard let operation = operation(object, at: .member(position ?? index + 1)) else {
            if let name = object["name"]?.string { names.broken.append(name) }
            return false
        }
        if let other = names.add(operation.name, at: group.operations.count) {
            noteDuplicate(operation.name, isWritten: object["name"] != nil, other: names.elements[other])
            return false
        }
        names.elements.append(index)
        group.operations.append(operation)
        return true
    }

    private mutating func noteDuplicate(_ name: String, isWritten: Bool, other: Int) {
        let remedy = isWritten ? "Rename one of them." : "Give this one a name of its own."
        note(
            at: isWritten ? pointer.appending("name") : pointer, .duplicateName,
            "Operation \(other + 1) of this group is called \"\(name)\", too. \(remedy)")
    }

    /// Every written edge leads to a sibling.
    private mutating func checkEdges(of group: GroupSpec, _ names: SiblingNames) {
        for (position, operation) in group.operations.enumerated() {
            for (number, edge) in operation.after.enumerated()
            where names.position(of: edge.operation) == nil && !names.broken.contains(edge.operation) {
                let pointer = pointer.appending(names.elements[position]).appending("after").appending(number)
                note(
                    at: pointer, .unknownReference,
                    "There is no operation \"\(Self.quotable(edge.operation))\" in this group; "
                        + "\"after\" names siblings.",
                    suggestion: names.nearest(to: edge.operation))
            }
        }
    }

    /// Operations that wait for each other, each cycle once.
    private mutating func noteCycles(of group: GroupSpec, _ names: SiblingNames) {
        for cycle in DependencyCycles(of: group, position: names.position).found {
            let path = cycle.map { group.operations[$0].name }.joined(separator: " → ")
            let first = cycle.first ?? 0
            var detail = "These wait for each other for ever: \(path). Take one of the dependencies away."
            if group.ordered {
                detail += " The group is ordered, so each step also waits for the one before it."
            }
            note(at: pointer.appending(names.elements[first]), .dependencyCycle, detail)
        }
    }
}

/// The names of the members of one group.
struct SiblingNames {
    /// For each member that could be read, its place in the spec's list, from 0.
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

/// The cycles among the members of a group.
struct DependencyCycles {
    /// Each cycle as positions, the first one again at the end: `a, b, a`.
    private(set) var found: [[Int]] = []

    init(of group: GroupSpec, position: (String) -> Int?) {
        let members = group.operations
        guard members.contains(where: { !$0.after.isEmpty }) else { return }
        var needs = members.map { $0.after.compactMap { position($0.operation) } }
        if group.ordered { for index in members.indices.dropFirst() { needs[index].append(index - 1) } }
        var isLeft = [Bool](repeating: true, count: members.count)
        while let start = Self.remaining(after: needs, &isLeft) {
            let cycle = Self.cycle(from: start, needs, isLeft)
            found.append(cycle)
            for index in cycle { isLeft[index] = false }
        }
    }

    /// Takes away all that wait for nothing that is left; returns one that still waits.
    private static func remaining(after needs: [[Int]], _ isLeft: inout [Bool]) -> Int? {
        var open = needs.map { _ in 0 }
        var dependants: [[Int]] = needs.map { _ in [] }
        for (index, needed) in needs.enumerated() where isLeft[index] {
            for other in needed where isLeft[other] {
                open[index] += 1
                dependants[other].append(index)
            }
        }
        var ready = needs.indices.filter { isLeft[$0] && open[$0] == 0 }
        while let next = ready.popLast() {
            isLeft[next] = false
            for dependant in dependants[next] {
                open[dependant] -= 1
                if open[dependant] == 0 { ready.append(dependant) }
            }
        }
        return isLeft.firstIndex(of: true)
    }

    /// Everything that is left waits for something that is left, so that following it must come round.
    private static func cycle(from start: Int, _ needs: [[Int]], _ isLeft: [Bool]) -> [Int] {
        var way: [Int] = []
        var place = start
        while !way.contains(place) {
            way.append(place)
            guard let next = needs[place].first(where: { isLeft[$0] }) else { return way }
            place = next
        }
        let round = Array(way.drop { $0 != place })
        // It begins with the member that comes first in the spec.
        let least = round.indices.min { round[$0] < round[$1] } ?? 0
        let turned = Array(round[least...] + round[..<least])
        return turned + [turned[0]]
    }
}
