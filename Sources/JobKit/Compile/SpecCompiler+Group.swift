internal import StrictJSON

extension SpecCompiler {
    /// At most this many bytes of members' results go into the result of their group.
    private static let groupResultBytesMax = 1 << 20

    func group(
        _ group: GroupSpec, _ name: String, _ references: ReferenceReader
    ) -> AOperationRecipe<OperationResult> {
        let path = references.path
        let members = Self.inOrderOfEdges(group.operations, isOrdered: group.ordered)
        let finals = Self.inOrderOfEdges(group.finals, isOrdered: false)
        var recipe = AOperationRecipe<OperationResult>(name: name) { context in
            let items = try await group.each?.items(in: context, references, room)
            try self.room.enter((items ?? []).indices.lazy.map { String($0 + 1) }, below: path)
            try self.room.enter((group.operations + group.finals).lazy.map(\.name), below: path)
            let operation = GroupOperation(
                name, concurrency: group.concurrency, order: group.memberOrder, failsFast: group.failFast,
                completion: group.completion
            ) { scope in
                if let each = group.each { self.add(each, items ?? [], to: scope, references) }
                let builder = GroupBuilder(self, group, at: path, in: references.place, scope)
                for member in members { builder.add(member.spec, member.edges) }
                builder.built()
                for member in finals { builder.addFinally(member.spec, member.edges) }
                let live = MemberDesk.Live(scope: scope) { builder.addLate($0) }
                for late in self.desk.open(path, live) { builder.addLate(late) }
            }
            defer { desk.close(path) }
            try await operation.execute(in: context)
            if let items { return self.result(ofEach: items.count, at: path) }
            return self.result(of: group, at: path)
        }
        recipe.settings.grace = nil
        return recipe
    }

    private struct Member: Sendable {
        let spec: OperationSpec
        var edges: [GroupBuilder.Edge]
    }

    /// The members with all their edges, each behind everything it depends on. The reader has refused cycles; should
    /// one come all the same, its members stand at the end and miss an edge rather than hang.
    private static func inOrderOfEdges(_ operations: [OperationSpec], isOrdered: Bool) -> [Member] {
        var members: [Member] = []
        for (index, spec) in operations.enumerated() {
            var edges = spec.after.map {
                (name: $0.operation, requirement: AOperationSettings.Requirement.named($0.on))
            }
            if isOrdered, index > 0 {
                edges.append(GroupBuilder.orderEdge(behind: operations[index - 1]))
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
        for member in group.operations + desk.members(of: path) {
            guard let ending = board.ending(at: path + [member.name]), ending.state == .succeeded,
                let result = ending.result
            else { continue }
            bytes += result.body.count
            if bytes <= Self.groupResultBytesMax { object[member.name] = result.bodyValue }
        }
        return OperationResult(json: .object(object))
    }
}
