internal import JobKit
internal import StrictJSON

/// Runs the first of several operations whose `when` holds. The others are skipped.
package struct ChooseSpec: Sendable, Hashable {
    /// The upper limit of branches: 100.
    package static let branchesMax = 100

    /// The branches in the order in which they are asked.
    package var branches: [Branch]
    /// Runs when no branch holds; nil skips all.
    package var fallback: OperationSpec?

    /// An operation, at the path of the choice and its own name, that is chosen when its predicate holds.
    package struct Branch: Sendable, Hashable {
        /// The question about values that exist before the choice.
        package var when: JSONPredicate
        package var operation: OperationSpec
    }
}

extension ChooseSpec: BuiltInKind {
    static let name = "choose"
    static let members: [any KindMember] = [branchesMember, fallbackMember]
    private static let branchesMember = RequiredMember<[Branch?]>(
        "of", SpecForm { branches($1, $2, &$0) },
        remedy: "Write the branches, each with when and operation.",
        suggestion:
            #""of": [{"when": {"$get": "a", "at": "/status", "equals": 200}, "operation": {"type": "value", "value": 1}}]"#
    )
    private static let fallbackMember = SharedMember("else")
    private static let whenMember = RequiredMember(
        "when", .predicate(on: .nothing),
        remedy: "A branch says when it is chosen; what runs otherwise is else.",
        suggestion: #""when": {"$get": "a", "at": "/status", "equals": 200}"#)

    static func read(
        _ object: JSONObject, _ draft: inout OperationDraft, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> ChooseSpec? {
        let branches = branchesMember.read(object, scope, &reading)
        var fallback: OperationSpec?
        if let value = object[fallbackMember.name] {
            let seat = OperationSeat.member((branches?.count ?? 0) + 1)
            fallback = reading.inside(fallbackMember.name) {
                InnerOperation.read(value, at: seat, scope, &$0)
            }
        }
        guard let branches else { return nil }
        checkNames(branches.map { $0?.operation } + [fallback], &reading)
        return ChooseSpec(branches: branches.compactMap(\.self), fallback: fallback)
    }

    /// The branches in their places; nil for one that is wrong, which is noted.
    private static func branches(
        _ value: JSONValue, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> [Branch?]? {
        guard case .array(let elements) = value else {
            reading.wrongType(value, "a list of branches")
            return nil
        }
        guard (1...branchesMax).contains(elements.count) else {
            reading.note(
                .outOfRange,
                "A choice has 1 to \(branchesMax) branches; this one has \(elements.count). "
                    + "Its else may be another choice.")
            return nil
        }
        var branches: [Branch?] = []
        reading.elements(of: value) { reading, element in
            branches.append(branch(element, number: branches.count + 1, scope, &reading))
        }
        return branches
    }

    private static func branch(
        _ value: JSONValue, number: Int, _ scope: SpecScope, _ reading: inout SpecReading
    ) -> Branch? {
        guard case .object(let object) = value else {
            reading.wrongType(value, "a branch, which is an object with when and operation")
            return nil
        }
        let operationMember = RequiredMember.operation(
            at: .member(number), remedy: "Put what the branch runs into it, as an operation of its own.")
        let known = [whenMember.name, operationMember.name]
        // The members of an operation that stands in the place of a branch are one mistake, not many.
        if object.operationType == nil || object[operationMember.name] != nil {
            reading.members(of: object, "A branch", known: known) { _, name, _ in
                known.contains(where: name.hasSameBytes)
            }
        }
        let when = whenMember.read(object, scope, &reading)
        guard let operation = operationMember.read(object, scope, &reading), let when else { return nil }
        return Branch(when: when, operation: operation)
    }

    /// Reports operations with the same name: their addresses would be the same.
    /// - Parameter operations: those of the branches, and the one of `else`; nil for one that is wrong or not there.
    private static func checkNames(_ operations: [OperationSpec?], _ reading: inout SpecReading) {
        var names = SiblingNames()
        for (index, operation) in operations.enumerated() where !reading.isCut {
            guard let operation, names.add(operation.name) != nil else { continue }
            let isLast = index == operations.count - 1
            let place =
                isLast ? reading.pointer.appending("else") : reading.pointer.appending("of").appending(index)
            reading.note(
                at: place, .duplicateName,
                "Another branch of this choice has the name \"\(operation.name)\", too. Rename one of them.")
        }
    }

    var inner: [OperationSpec] { branches.map(\.operation) + [fallback].compactMap(\.self) }

    /// Each branch is one operation, but only one of them makes those inside of it.
    var writtenCount: Int {
        let least = fallback == nil ? 1 : inner.map(\.writtenCount).min() ?? 1
        return OperationCount.sum(inner.count, least)
    }

    var planWords: [String] {
        let first = "first of " + branches.map(\.operation.name).joined(separator: ", ")
        return [first + (fallback.map { ", else \($0.name)" } ?? "")]
    }

    /// A choice ends like the operation that was chosen, and is skipped when none was.
    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult> {
        var recipe = OperationRecipe<OperationResult>(spec.name) { context in
            let chosen = try await chosen(in: context, references)
            let run = InnerRun(compiler: compiler, context: context)
            for (index, operation) in inner.enumerated() where index != chosen {
                try await run.skip(
                    operation, path: references.path + [operation.name],
                    because: reason(toSkip: index, after: chosen))
            }
            guard let chosen else {
                throw OperationSkip(errors: [
                    AOperationError(
                        .whenFalse, detail: "No branch has a `when` that holds, and there is no `else`.",
                        stage: .condition)
                ])
            }
            let operation = inner[chosen]
            let ending = try await run.ending(
                of: operation, at: references.place, path: references.path + [operation.name])
            return try ending.passedOn()
        }
        recipe.settings.grace = nil
        return recipe
    }

    /// The position of the operation to run; nil when there is none. It is noted before anything runs, and kept over
    /// restarts and tries, so that never parts of two branches are run.
    private func chosen(
        in context: OperationContext, _ references: ReferenceReader
    ) async throws -> Int? {
        if let name = context.remembered(NoteName.choice)?.string,
            let known = inner.firstIndex(where: { $0.name.hasSameBytes(as: name) })
        {
            return known
        }
        let held = try await references.attempt(in: context).evaluate { lookup throws(AOperationError) in
            try firstHolding(lookup)
        }
        guard let chosen = held ?? (fallback == nil ? nil : branches.count) else { return nil }
        try await context.remember(.string(inner[chosen].name), as: NoteName.choice)
        return chosen
    }

    /// - Throws: what a question throws that cannot be decided, with the name of the branch.
    private func firstHolding(_ lookup: Binding.Lookup) throws(AOperationError) -> Int? {
        for (index, branch) in branches.enumerated() {
            do throws(AOperationError) {
                if try branch.when.evaluate(document: .null, lookup: lookup) { return index }
            } catch {
                var error = error
                error.detail = "Branch \(branch.operation.name): \(error.detail)"
                throw error
            }
        }
        return nil
    }

    private func reason(toSkip index: Int, after chosen: Int?) -> AOperationError {
        if let chosen, index > chosen {
            return AOperationError(
                .notChosen, detail: "Not run because the branch \(inner[chosen].name) was chosen.",
                stage: .condition)
        }
        return AOperationError(
            .whenFalse, detail: "The `when` of the branch does not hold.", stage: .condition)
    }

    func begun(in past: JournalFold, _ references: ReferenceReader) -> [PlacedOperation] {
        inner.map { operation in
            PlacedOperation(
                spec: operation, place: references.place, path: references.path + [operation.name])
        }
    }
}
