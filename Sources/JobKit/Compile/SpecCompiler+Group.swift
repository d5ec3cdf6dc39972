internal import StrictJSON

extension SpecCompiler {
    /// At most this many bytes of members' results go into the result of their group.
    private static let groupResultBytesMax = 1 << 20

    func group(
        _ group: GroupSpec, _ name: String, _ outer: SpecPlace, _ path: [String]
    ) -> AOperationRecipe<OperationResult> {
        let members = Self.inOrderOfEdges(group)
        let place = SpecPlace.member(
            groupPath: path, siblings: Set(group.operations.map(\.name)), outer: outer)
        let operation = GroupOperation(name, concurrency: group.concurrency, failsFast: group.failFast) {
            scope in
            var handles: [String: AOperationHandle<OperationResult>] = [:]
            for member in members {
                var recipe = self.recipe(for: member.spec, at: place, path: path + [member.spec.name])
                recipe.settings.edges += member.edges.compactMap { edge in
                    handles[edge.name].map { .init(core: $0.core, requirement: edge.requirement) }
                }
                let memberPath = path + [member.spec.name]
                handles[member.spec.name] = scope.add(
                    recipe, failureCounts: member.spec.onFailure == .fail,
                    ended: { board.post($0, at: memberPath) })
            }
        }
        var recipe = AOperationRecipe<OperationResult>(name: name) { context in
            try await operation.execute(in: context)
            return self.result(of: group, at: path)
        }
        recipe.settings.grace = nil
        return recipe
    }

    private struct Member: Sendable {
        let spec: OperationSpec
        var edges: [(name: String, requirement: AOperationSettings.Requirement)]
    }

    /// The members with all their edges, each behind everything it depends on. The reader has refused cycles; should
    /// one come all the same, its members stand at the end and miss an edge rather than hang.
    private static func inOrderOfEdges(_ group: GroupSpec) -> [Member] {
        var members: [Member] = []
        for (index, spec) in group.operations.enumerated() {
            var edges = spec.after.map {
                (name: $0.operation, requirement: AOperationSettings.Requirement.named($0.on))
            }
            if group.ordered, index > 0 {
                let before = group.operations[index - 1]
                edges.append((before.name, before.onFailure == .continue ? .named(.finished) : .orderly))
            }
            members.append(Member(spec: spec, edges: edges))
        }
        var placed: Set<String> = []
        var ordered: [Member] = []
        while !members.isEmpty {
            let ready = members.filter { member in member.edges.allSatisfy { placed.contains($0.name) } }
            if ready.isEmpty { return ordered + members }
            ordered += ready
            placed.formUnion(ready.map(\.spec.name))
            members.removeAll { placed.contains($0.spec.name) }
        }
        return ordered
    }

    /// The results of the members that succeeded, by name. What would make it too large is left out.
    private func result(of group: GroupSpec, at path: [String]) -> OperationResult {
        var object = JSONObject()
        var bytes = 0
        for member in group.operations {
            guard let ending = board.ending(at: path + [member.name]), ending.state == .succeeded,
                let result = ending.result
            else { continue }
            bytes += result.body.count
            if bytes <= Self.groupResultBytesMax { object[member.name] = result.bodyValue }
        }
        return OperationResult(json: .object(object))
    }
}
