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
        for var reference in reading.references[first...] {
            let steps = reference.operation.split(separator: "/", omittingEmptySubsequences: false).map(
                String.init)
            let name = steps.first ?? ""
            if names.broken.contains(name) { continue }
            guard let target = names.position(of: name) else {
                reference.visible += names.all
                reference.levels += 1
                left.append(reference)
                continue
            }
            connect(reference, to: target, Array(steps.dropFirst()), &group, &reading)
        }
        reading.references.removeSubrange(first...)
        reading.references += left
    }

    private static func connect(
        _ reference: PendingReference, to target: Int, _ inner: [String], _ group: inout GroupSpec,
        _ reading: inout SpecReading
    ) {
        let name = group.operations[target].name
        guard target != reference.member else {
            reading.note(
                at: reference.pointer, .dependencyCycle,
                reference.levels == 0
                    ? "\"\(name)\" refers to itself: \(name) → \(name). "
                        + "Its own answer is looked at with \"at\" alone."
                    : "The reference to \"\(name)\" is inside \"\(name)\", which ends only after it: "
                        + "\(name) → \(name).")
            return
        }
        guard check(reference, inner, in: group.operations[target], &reading) else { return }
        // A fallback is for the case that the operation did not succeed, so that must be permitted.
        let requirement: EdgeRequirement = reference.hasFallback ? .finished : .succeeded
        let edges = group.operations[reference.member].after
        guard let index = edges.firstIndex(where: { $0.operation == name }) else {
            group.operations[reference.member].after.append(
                .init(operation: name, on: requirement, isImplied: true))
            return
        }
        if edges[index].isImplied && requirement == .succeeded {
            group.operations[reference.member].after[index].on = .succeeded
        }
    }

    /// Whether a path leads from an operation to one inside of it.
    @discardableResult
    static func check(
        _ reference: PendingReference, _ inner: [String], in operation: OperationSpec,
        _ reading: inout SpecReading
    ) -> Bool {
        var place = operation
        for step in inner {
            guard let member = place.members.first(where: { $0.name == step }) else {
                reading.note(
                    at: reference.pointer, .unknownReference,
                    "\"\(place.name)\" has no operation \"\(String(quotable: step))\" inside.",
                    suggestion: SpellingSuggestion.nearest(to: step, in: place.members.map(\.name)))
                return false
            }
            place = member
        }
        return true
    }

    /// Reports the references that no group resolves.
    static func noteUnknown(_ reading: inout SpecReading) {
        for reference in reading.references {
            let name = String(reference.operation.prefix { $0 != "/" })
            reading.note(
                at: reference.pointer, .unknownReference,
                reference.visible.isEmpty
                    ? "There is no other operation that \"\(String(quotable: name))\" could mean. "
                        + "Put both into a group."
                    : "No operation \"\(String(quotable: name))\" can be seen from here; "
                        + "references name siblings, "
                        + "siblings of groups around, "
                        + "or a path such as outer/inner from there.",
                suggestion: SpellingSuggestion.nearest(to: name, in: reference.visible))
        }
    }
}
