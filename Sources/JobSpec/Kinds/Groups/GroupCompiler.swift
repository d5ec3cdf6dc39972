internal import JobKit
internal import StrictJSON

struct GroupCompiler: Sendable {
    let group: GroupSpec
    /// The position behind the lines of a part, whose result is a file; nil for any other group.
    var end: LinePosition?
    let compiler: SpecCompiler
    /// Resolves references from the group's position.
    let references: ReferenceReader

    func recipe(named name: String) -> OperationRecipe<OperationResult> {
        let path = references.path
        let members = Self.inOrderOfEdges(group.operations, isOrdered: group.ordered)
        let finals = Self.inOrderOfEdges(group.finals, isOrdered: false)
        var recipe = OperationRecipe<OperationResult>(name) { context in
            let content = try await makeContent(in: context)
            let failure = content.failure
            let operation = GroupOperation(
                name, concurrency: group.concurrency, order: memberOrder, failsFast: group.failFast,
                completion: failure == nil ? group.completion : .all
            ) { scope in
                // Members that were added from outside are cancelled.
                if failure != nil { scope.cancelMembers() }
                if let each = group.each { add(each, content.items ?? [], to: scope) }
                let builder = GroupBuilder(compiler, group, at: path, in: references.place, scope)
                if let failure {
                    noteUnmade(failure)
                } else {
                    for member in members { builder.add(member.spec, member.edges) }
                }
                builder.built()
                for member in finals { builder.addFinally(member.spec, member.edges) }
                let live = LateMembers.Live(scope: scope) { builder.addLate($0) }
                for late in compiler.lateMembers.open(path, live) { builder.addLate(late) }
            }
            defer { compiler.lateMembers.close(path) }
            do {
                try await operation.execute(in: context)
            } catch let late as OperationErrors {
                throw OperationErrors(list: [failure].compactMap(\.self) + late.list)
            }
            if let failure { throw failure }
            if let items = content.items {
                if end != nil { return try await file(ofEach: items.count, in: context) }
                return try await result(ofEach: items.count)
            }
            return try await result()
        }
        recipe.settings.grace = nil
        return recipe
    }

    /// The name of the note about why there are no members.
    private static let failureNote = "failure"

    private struct Content: Sendable {
        /// The elements of a map.
        var items: [JSONValue]?
        /// Why there are no members: only the final ones run.
        var failure: AOperationError?
    }

    /// Prepares the members. When they cannot be made, those of `finally` run alone. That is noted first, since after a
    /// restart there might be room for the others, which would then run behind the final ones.
    private func makeContent(in context: OperationContext) async throws -> Content {
        if let known = context.remembered(Self.failureNote), let failure = try? AOperationError(json: known) {
            return try finalsAlone(after: failure)
        }
        do {
            if let end, context.remembered(NoteName.items) == nil {
                context.note(end.note, as: NoteName.rest)
            }
            let items = try await group.each?.items(in: context, references, compiler.budget)
            let numbers = (items ?? []).indices.map { String($0 + 1) }
            try compiler.budget.enter(numbers + group.inner.map(\.name), below: references.path)
            return Content(items: items)
        } catch let error as AOperationError where !group.finals.isEmpty {
            let failure = context.core.environment.scrubber.scrubbed(error)
            let content = try finalsAlone(after: failure)
            var writer = JSONWriter()
            failure.write(to: &writer)
            if let note = try? JSONParser.parse(writer.bytes, limits: .written(writer.bytes)) {
                try await context.remember(note, as: Self.failureNote)
            }
            return content
        }
    }

    /// - Throws: `failure` when there is no room for the final members, either.
    private func finalsAlone(after failure: AOperationError) throws(AOperationError) -> Content {
        do { try compiler.budget.enter(group.finals.map(\.name), below: references.path) } catch {
            throw failure
        }
        return Content(failure: failure)
    }

    /// Members that cannot be made are cancelled, for the references of final operations.
    private func noteUnmade(_ failure: AOperationError) {
        for member in group.operations {
            compiler.board.post(
                OperationEnding(state: .cancelled, errors: [failure]), at: references.path + [member.name])
        }
    }

    private struct Member: Sendable {
        let spec: OperationSpec
        let edges: [GroupBuilder.Edge]
    }

    /// The members with all their edges, each after its dependencies. The reader refuses cycles; the members of one
    /// would come last and lose an edge rather than hang.
    private static func inOrderOfEdges(_ operations: [OperationSpec], isOrdered: Bool) -> [Member] {
        var members: [Member] = []
        for (index, spec) in operations.enumerated() {
            let before = isOrdered && index > 0 ? operations[index - 1] : nil
            members.append(Member(spec: spec, edges: spec.edges(behind: before)))
        }
        return EdgeOrder.positions(of: members, name: { $0.spec.name }, edges: { $0.edges.map(\.operation) })
            .map { members[$0] }
    }

    /// The results of the members that succeeded, by name.
    /// - Throws: `value.too_large`, `evaluation.too_long`: a result is whole or an error.
    private func result() async throws(AOperationError) -> OperationResult {
        let members = group.operations + compiler.lateMembers.members(of: references.path)
        let results = members.compactMap { member in succeeded(member.name).map { (member.name, $0) } }
        return try await references.evaluate { lookup throws(AOperationError) in
            var budget = resultBudget
            // Of the results one at a time is a value, which takes up to twenty times the memory of its text.
            var whole = JSONWriter()
            whole.beginObject()
            for (name, result) in results {
                whole.name(name)
                whole.value(try budget.take(result, lookup.meter))
            }
            whole.endObject()
            return try OperationResult(jsonText: whole.bytes, lookup.meter)
        }
    }

    /// The result of a member; nil when it did not succeed.
    private func succeeded(_ name: String) -> OperationResult? {
        guard let ending = compiler.board.ending(at: references.path + [name]), ending.state == .succeeded
        else { return nil }
        return ending.result ?? .empty
    }

    private var resultBudget: ValueBudget {
        ValueBudget(
            "The result of \(references.name), with that of each member,",
            remedy:
                "Fetch large content with a download, which keeps it in a file, or make several groups of it."
        )
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

    /// The results of the members in the order of the list; null for those that did not succeed.
    /// - Throws: `value.too_large`, `evaluation.too_long`: a result is whole or an error.
    private func result(ofEach count: Int) async throws(AOperationError) -> OperationResult {
        let results = (0..<count).map { succeeded(String($0 + 1)) }
        return try await references.evaluate { lookup throws(AOperationError) in
            var budget = resultBudget
            var whole = JSONWriter()
            whole.beginArray()
            for result in results {
                if let result {
                    whole.value(try budget.take(result, lookup.meter))
                } else {
                    whole.null()
                }
            }
            whole.endArray()
            return try OperationResult(jsonText: whole.bytes, lookup.meter)
        }
    }

    /// The same as a file, a line for each member, of which some are in memory at a time.
    private func file(ofEach count: Int, in context: OperationContext) async throws -> OperationResult {
        try context.checkStop()
        guard let place = context.artifacts else {
            throw AOperationError(.storage, detail: "There is no place here where content could be kept.")
        }
        return try await PartFile(path: references.path, in: place, context).written { file in
            var (some, bytes): ([OperationResult?], Int) = ([], 0)
            for number in 0..<count {
                let result = succeeded(String(number + 1))
                some.append(result)
                bytes += result?.body.count ?? 0
                guard bytes >= Self.sliceBytes || number == count - 1 else { continue }
                try await file.append(lines(some))
                (some, bytes) = ([], 0)
            }
        }
    }

    private func lines(_ results: [OperationResult?]) async throws(AOperationError) -> [UInt8] {
        try await references.evaluate { lookup throws(AOperationError) in
            // The members' results are in memory, within the limit of the job.
            var budget = ValueBudget(bytesMax: .max)
            var lines: [UInt8] = []
            for result in results {
                var value = JSONValue.null
                if let result { value = try budget.take(result, lookup.meter) }
                lines += value.encoded()
                lines.append(0x0A)
            }
            return lines
        }
    }

    /// The bytes of results after which lines are written: 2 MiB.
    private static let sliceBytes = 2 << 20

    /// The order of members made for the elements of a list; written members have edges instead.
    private var memberOrder: GroupRules.Order {
        guard let each = group.each, group.ordered else { return .none }
        return each.operation.onFailure == .continue ? .carriesOn : .stopsAtFailure
    }
}
