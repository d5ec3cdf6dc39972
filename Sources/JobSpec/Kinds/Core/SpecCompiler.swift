internal import HTTPMessage
internal import JobKit
internal import StrictJSON

/// Compiles a validated spec to operations. There is only one implementation: specs and Swift programs use the same
/// recipes.
struct SpecCompiler: Sendable {
    let board: ResultBoard
    /// The memory limit that the operations share.
    var budget: RunBudget
    var job = JobFacts()
    var grants: (any GrantBook)?
    /// The kinds that are not built in.
    var kinds = OperationKinds.none
    /// The members that are added while the tree runs.
    var lateMembers = LateMembers()

    /// The operation that `spec` describes, at `place`, with `path` below the root.
    func recipe(
        for spec: OperationSpec, at place: SpecPlace, path: [String]
    ) -> OperationRecipe<OperationResult> {
        let references = ReferenceReader(board: board, job: job, place: place, path: path, name: spec.name)
        var recipe = spec.kind.work.recipe(for: spec, by: self, references)
        recipe.persistence = .init(
            admit: { [budget] in try budget.keep($0.body.count) }, capture: { $0 }, restore: { $0 })
        apply(spec, references, at: path, to: &recipe.settings)
        return recipe
    }

    private func apply(
        _ spec: OperationSpec, _ references: ReferenceReader, at path: [String],
        to settings: inout OperationSettings
    ) {
        if !spec.conditions.isEmpty {
            let surroundings = ConditionSurroundings(
                references: references, subject: Self.subject(of: spec, references), grants: grants)
            settings.conditions = spec.conditions.map { $0.condition(in: surroundings) }
            // Unlike in the library, all conditions of a spec must hold.
            settings.conditionsAreStrict = true
        }
        let keepsTimeout = spec.kind.work.keepsTimeout
        settings.timeout = keepsTimeout ? nil : spec.timeout
        settings.keepsItsTime = keepsTimeout
        settings.endsInside = spec.hasFinally
        settings.hasInner = spec.hasInner
        settings.deadline = spec.finishBy.map(Self.moment)
        if !path.isEmpty {
            // The store keeps those of the job, which is not in memory until it begins.
            settings.runAt = spec.runAt.map(Self.moment)
            settings.startBy = spec.startBy.map(Self.moment)
        }
        guard let when = spec.when else { return }
        settings.gate = {
            do throws(AOperationError) {
                let isOpen = try await references.evaluate { lookup throws(AOperationError) in
                    try when.evaluate(document: .null, lookup: lookup)
                }
                if isOpen { return .open }
                return .closed(
                    AOperationError(.whenFalse, detail: "`when` does not hold.", stage: .condition))
            } catch {
                return .broken(error)
            }
        }
    }

    private static func moment(_ time: SpecTime) -> OperationSettings.Moment {
        switch time {
        case .at(let date): .at(date)
        case .after(let duration): .afterSubmission(duration)
        }
    }

    /// The subject of approvals of `spec`, with all values resolved.
    private static func subject(
        of spec: OperationSpec, _ references: ReferenceReader
    ) -> ApprovalCondition.Subject {
        { context async throws(AOperationError) in
            var reader = references
            reader.attempt = 1
            return try await spec.kind.work.approvalSubject(in: context, reader)
        }
    }
}
