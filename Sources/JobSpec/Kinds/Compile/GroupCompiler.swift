internal import JobKit
internal import StrictJSON

/// Compiles a group.
struct GroupCompiler: Sendable {
    /// The maximum size of the members' results in the result of their group.
    private static let resultBytesMax = 1 << 20

    let group: GroupSpec
    let compiler: SpecCompiler
    /// Resolves references from the group's position.
    let references: ReferenceReader

    func recipe(named name: String) -> AOperationRecipe<OperationResult> {
        let path = references.path
        let members = Self.inOrderOfEdges(group.operations, isOrdered: group.ordered)
        let finals = Self.inOrderOfEdges(group.finals, isOrdered: false)
        var recipe = AOperationRecipe<OperationResult>(name: name) { context in
            let items = try await group.each?.items(in: context, references, compiler.room)
            try compiler.room.enter((items ?? []).indices.lazy.map { String($0 + 1) }, below: path)
            try compiler.room.enter((group.operations + group.finals).lazy.map(\.name), below: path)
            let operation = GroupOperation(
                name, concurrency: group.concurrency, order: memberOrder, failsFast: group.failFast,
                completion: group.completion
            ) { scope in
                if let each = group.each { add(each, items ?? [], to: scope) }
                let builder = GroupBuilder(compiler, group, at: path, in: references.place, scope)
                for member in members { builder.add(member.spec, member.edges) }
                builder.built()
                for member in finals { builder.addFinally(member.spec, member.edges) }
                let live = MemberDesk.Live(scope: scope) { builder.addLate($0) }
                for late in compiler.desk.open(path, live) { builder.addLate(late) }
            }
            defer { compiler.desk.close(path) }
            try await operation.execute(in: context)
            if let items { return result(ofEach: items.count) }
            return result
        }
        recipe.settings.grace = nil
        return recipe
    }

    private struct Member: Sendable {
        let spec: OperationSpec
        var edges: [GroupBuilder.Edge]
    }

    /// The members with all their edges, each after its dependencies. The reader refuses cycles; the members of one
    /// would come last and lose an edge rather than hang.
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

    /// The results of the members that succeeded, by name. Results beyond the size limit are omitted.
    private var result: OperationResult {
        var object = JSONObject()
        var bytes = 0
        for member in group.operations + compiler.desk.members(of: references.path) {
            guard let ending = compiler.board.ending(at: references.path + [member.name]),
                ending.state == .succeeded,
                let result = ending.result
            else { continue }
            bytes += result.body.count
            if bytes <= Self.resultBytesMax { object[member.name] = result.bodyValue }
        }
        return OperationResult(json: .object(object))
    }

    /// Adds one member per element, named by its number from 1.
    private func add(_ each: EachSpec, _ items: [JSONValue], to scope: GroupScope) {
        let spec = each.operation
        let board = compiler.board
        for (index, item) in items.enumerated() {
            let path = references.path + [String(index + 1)]
            let place = SpecPlace.item(item, name: each.name, outer: references.place)
            var recipe = compiler.recipe(for: spec, at: place, path: path)
            recipe.step = path.last
            _ = scope.add(
                recipe, failureCounts: spec.onFailure == .fail, ended: { board.post($0, at: path) })
        }
    }

    /// The results of the members in the order of the list; null for those that did not succeed or exceed the size
    /// limit.
    private func result(ofEach count: Int) -> OperationResult {
        var bytes = 0
        let values = (0..<count).map { index -> JSONValue in
            guard let ending = compiler.board.ending(at: references.path + [String(index + 1)]),
                ending.state == .succeeded,
                let result = ending.result
            else { return .null }
            bytes += result.body.count
            return bytes <= Self.resultBytesMax ? result.bodyValue : .null
        }
        return OperationResult(json: .array(values))
    }

    /// The order of members made for the elements of a list; written members have edges instead.
    private var memberOrder: GroupRules.Order {
        guard let each = group.each, group.ordered else { return .none }
        return each.operation.onFailure == .continue ? .carriesOn : .stopsAtFailure
    }
}
