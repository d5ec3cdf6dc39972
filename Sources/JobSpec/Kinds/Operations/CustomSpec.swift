internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// Work of a kind that is not built in.
package struct CustomSpec: Sendable, Hashable {
    /// The kind's name.
    package var type: String
    /// The members as written, resolved when the operation runs.
    package var members: [NetworkSpec.Entry]

    /// Work of a kind.
    package init(type: String, members: [NetworkSpec.Entry]) {
        self.type = type
        self.members = members
    }
}

extension CustomSpec: OperationWork {
    var isCustom: Bool { true }

    /// Resolves and checks the members, then calls the factory of the kind.
    func recipe(
        for spec: OperationSpec, by compiler: SpecCompiler, _ references: ReferenceReader
    ) -> OperationRecipe<OperationResult> {
        guard let kind = compiler.kinds[type] else { return missingKind(spec.name, compiler.kinds) }
        var recipe = OperationRecipe<OperationResult>(spec.name) { context in
            let members: JSONObject
            do throws(AOperationError) {
                members = try await references.attempt(in: context).evaluate {
                    lookup throws(AOperationError) in
                    try kind.members(of: self, lookup: lookup)
                }
            } catch {
                var error = error
                // Said, since it is not the kind's own: what is not there is not there for the next attempt, either.
                error.retryable = error.retryable
                throw error
            }
            return OperationResult(json: try await kind.make(members).execute(in: context))
        }
        recipe.settings.attemptLabel = (nil, nil)
        recipe.settings.startsDurably = !kind.repeatsAfterCrash
        recipe.settings.keepsItsRun = true
        recipe.settings.errorsMayPass = true
        guard let retry = spec.retry else { return recipe }
        recipe.settings.attemptsMax = retry.attemptsMax
        recipe.settings.decideRetry = { error, situation in
            RetryDecision.decide(
                error: error, method: .get, spec: retry, situation: situation, hasIdempotencyKey: false)
        }
        return recipe
    }

    /// The job was accepted by a program that had the kind, and this one does not have it.
    private func missingKind(_ name: String, _ kinds: OperationKinds) -> OperationRecipe<OperationResult> {
        let known = kinds.names.isEmpty ? "" : " It has: \(kinds.names.joined(separator: ", "))."
        return OperationRecipe(name) { _ in
            throw AOperationError(
                .kindMissing,
                detail:
                    "This server was started without the kind \"\(type)\", which it had when the job was submitted."
                    + "\(known) Start it with the kind, then retry the job.")
        }
    }

    func approvalSubject(
        in context: ConditionContext, _ references: ReferenceReader
    ) async throws(AOperationError) -> ApprovalSubject {
        let filled = try await references.evaluate { lookup throws(AOperationError) in
            var filled = JSONObject()
            for entry in members { filled[entry.name] = try entry.value.resolve(lookup: lookup) }
            return filled
        }
        return ApprovalSubject(type: type, path: references.path, members: filled)
    }
}

extension OperationSpec {
    /// The members of work of a kind that is not built in, as written; nil for other work.
    package var customMembers: [NetworkSpec.Entry]? { (kind.work as? CustomSpec)?.members }
}

extension OperationKind {
    /// The members of one operation with everything filled in.
    /// - Throws: what `lookup` throws; `reference.missing` when something is not there or of another type by now.
    fileprivate func members(
        of work: CustomSpec, lookup: Binding.Lookup
    ) throws(AOperationError) -> JSONObject {
        var object = JSONObject()
        var budget = ValueBudget("What is given to \(name)")
        for entry in work.members {
            let value = try entry.value.resolve(lookup: lookup)
            try budget.take(value, lookup.meter)
            object[entry.name] = value
        }
        for member in members {
            let value = object[member.name]
            if let value, !member.form.allows(value) {
                throw AOperationError(
                    .referenceMissing,
                    detail:
                        "\"\(member.name)\" of \(name) must be \(member.form.text), and was given \(value.kindName)."
                )
            }
            object[member.name] = value.map(member.form.handedOn)
            if value == nil, member.isRequired {
                throw AOperationError(
                    .referenceMissing, detail: "\"\(member.name)\" of \(name) is not there.")
            }
        }
        return object
    }
}
