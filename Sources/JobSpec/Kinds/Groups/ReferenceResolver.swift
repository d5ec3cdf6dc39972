internal import JobKit
internal import StrictJSON

/// Finds the operations that references mean. References imply edges, at the level where the other operation is found.
enum ReferenceResolver {
    /// Finds the references that mean a member of this group; the others stay for the group around it.
    static func connect(
        from first: Int, to group: inout GroupSpec, _ names: SiblingNames, _ reading: inout SpecReading
    ) {
        guard first < reading.references.count else { return }
        var left: [PendingReference] = []
        var paths = InnerPaths()
        var edges = MemberEdges()
        for var reference in reading.references[first...] where !reading.isCut {
            let steps = reference.steps
            if names.isBroken(steps[0]) { continue }
            guard let target = names.position(of: steps[0]) else {
                reference.visible.append(names.all)
                reference.levels += 1
                left.append(reference)
                continue
            }
            guard target != reference.member else {
                noteSelf(reference, group.operations[target].name, &reading)
                continue
            }
            guard paths.check(reference, steps.dropFirst(), at: target, in: group, &reading) else { continue }
            if reference.isCallback {
                checkCallback(reference, group.operations[target], &reading)
            } else {
                edges.connect(reference, to: target, &group)
            }
        }
        reading.references.removeSubrange(first...)
        reading.references += left
    }

    /// Reports a reference to the callback URL of an operation that has none.
    private static func checkCallback(
        _ reference: PendingReference, _ member: OperationSpec, _ reading: inout SpecReading
    ) {
        var found = member
        for step in reference.steps.dropFirst() {
            guard let inner = found.members.first(where: { $0.name.hasSameBytes(as: step) }) else { return }
            found = inner
        }
        if (found.kind.work as? AwaitSpec)?.callback != nil { return }
        reading.note(
            at: reference.pointer, .unknownReference,
            "\"\(found.name)\" has no callback URL: only an operation of type await with \"callback\" has one.",
            suggestion: #"{"type": "await", "name": "\#(found.name)", "callback": {}}"#)
    }

    private static func noteSelf(
        _ reference: PendingReference, _ name: String, _ reading: inout SpecReading
    ) {
        reading.note(
            at: reference.pointer, .dependencyCycle,
            reference.levels == 0
                ? "\"\(name)\" refers to itself: \(name) → \(name). "
                    + "Its own answer is looked at with \"at\" alone."
                : "The reference to \"\(name)\" is inside \"\(name)\", which ends only after it: "
                    + "\(name) → \(name).")
    }

    /// The reference that a name with dots in it means: an operation, and a place in its result.
    private static func place(in name: String, of visible: some Sequence<String>) -> String? {
        let words = name.utf8.split(separator: UInt8(ascii: "."))
        guard words.count > 1, name.utf8.count <= 200,
            let operation = visible.first(where: { $0.utf8.elementsEqual(words[0]) })
        else { return nil }
        let place = words.dropFirst().map { "/" + String(Substring($0)) }.joined()
        return "{\"$get\": \"\(operation)\", \"at\": \"\(String(quotable: place))\"}"
    }

    /// Reports the references that no group resolves.
    static func noteUnknown(_ reading: inout SpecReading) {
        for reference in reading.references where !reading.isCut {
            let name = reference.steps[0]
            reading.note(
                at: reference.pointer, .unknownReference,
                reference.visible.allSatisfy(\.isEmpty)
                    ? "There is no other operation that \"\(String(quotable: name))\" could mean. "
                        + "Put both into a group."
                    : "No operation \"\(String(quotable: name))\" can be seen from here; "
                        + "references name siblings, "
                        + "siblings of groups around, "
                        + "or a path such as outer/inner from there.",
                suggestion: place(in: name, of: reference.visible.lazy.joined())
                    ?? reading.nearest(to: name, in: reference.visible.lazy.joined()))
        }
    }
}

/// The edges that references imply, made member by member in the order of the spec.
private struct MemberEdges {
    private var member = -1
    private var index = NameIndex()

    /// Adds the edge that `reference` implies, or takes it into the one that there is.
    mutating func connect(_ reference: PendingReference, to target: Int, _ group: inout GroupSpec) {
        let name = group.operations[target].name
        if member != reference.member { (member, index) = (reference.member, NameIndex()) }
        // A fallback is for the case that the operation did not succeed, so that must be permitted.
        let states: EdgeStates = reference.hasFallback ? .any : .succeeded
        let place = index.position(of: name, in: group.operations[member].after, by: { $0.operation })
        guard let place else {
            group.operations[member].after.append(.init(operation: name, states: states, isImplied: true))
            return
        }
        if group.operations[member].after[place].isImplied && states == .succeeded {
            group.operations[member].after[place].states = .succeeded
        }
    }
}

/// The operations inside the members of a group by their names, as far as references lead into them.
struct InnerPaths {
    private struct Inside {
        let name: String
        let members: [OperationSpec]
        var index = NameIndex()
        var inner: [Int: Inside] = [:]

        init(_ operation: OperationSpec) {
            name = operation.name
            members = operation.members
        }

        /// Follows a path; returns where it ends, and the step that does not exist there.
        mutating func miss(_ steps: ArraySlice<String>) -> (Inside, step: String)? {
            guard let step = steps.first else { return nil }
            guard let place = index.position(of: step, in: members, by: { $0.name }) else {
                return (self, step)
            }
            var next = inner.removeValue(forKey: place) ?? Inside(members[place])
            defer { inner[place] = next }
            return next.miss(steps.dropFirst())
        }
    }

    private var targets: [Int: Inside] = [:]

    /// Whether a path leads from a member of the group to an operation inside of it.
    @discardableResult
    mutating func check(
        _ reference: PendingReference, _ steps: ArraySlice<String>, at target: Int, in group: GroupSpec,
        _ reading: inout SpecReading
    ) -> Bool {
        if steps.isEmpty { return true }
        var inside = targets.removeValue(forKey: target) ?? Inside(group.operations[target])
        let missed = inside.miss(steps)
        targets[target] = inside
        guard let (place, step) = missed else { return true }
        reading.note(
            at: reference.pointer, .unknownReference,
            "\"\(place.name)\" has no operation \"\(String(quotable: step))\" inside.",
            suggestion: reading.nearest(to: step, in: place.members.lazy.map(\.name)))
        return false
    }
}
