internal import HTTPMessage
internal import StrictJSON

/// Makes operations of a checked spec. There is no second implementation of anything: what a spec says and what a
/// Swift program says become the same recipes.
struct SpecCompiler: Sendable {
    let board: ResultBoard
    /// How much the operations may hold together.
    let room: RunRoom
    var job = JobFacts()
    /// Where named permissions are kept.
    var grants: (any GrantBook)?
    /// The types that are not built in.
    var kinds = OperationKinds.none
    /// Members that are added while the tree runs.
    var desk = MemberDesk()

    /// The operation that `spec` describes, seen from `place`, which has `path` below the root.
    func recipe(
        for spec: OperationSpec, at place: SpecPlace, path: [String]
    ) -> AOperationRecipe<OperationResult> {
        let references = ReferenceReader(board: board, job: job, place: place, path: path, name: spec.name)
        var recipe =
            switch spec.kind {
            case .network(let call): network(call, spec, references)
            case .download(let download):
                DownloadOperation(
                    name: spec.name, download: download, expect: spec.expect ?? Expectation(),
                    references: references
                ).recipe(retry: spec.retry ?? .standard)
            case .delay(let delay): self.delay(delay, spec, references)
            case .value(let binding): value(binding, spec.name, references)
            case .group(let group): self.group(group, spec.name, references)
            case .await(let wait): self.await(wait, spec, references)
            case .custom(let work): custom(work, spec, references)
            case .map(let map): transform(map, spec.name, references)
            case .gate(let gate): self.gate(gate, spec.name, place, path)
            case .wrapper(let wrapper): self.wrapper(wrapper, spec.name, references, path)
            case .repeat(let rule): repetition(rule, spec.name, references, path)
            case .poll(let poll):
                PollOperation(
                    name: spec.name, poll: poll, expect: spec.expect ?? Expectation(), references: references
                ).recipe(retry: spec.retry ?? .standard)
            case .notify(let notification): network(notification.call, spec, references)
            }
        recipe = recipe.bounded(by: room)
        recipe.persistence = .init(capture: { $0 }, restore: { $0 })
        apply(spec, references, to: &recipe.settings)
        return recipe
    }

    private func apply(
        _ spec: OperationSpec, _ references: ReferenceReader, to settings: inout AOperationSettings
    ) {
        let surroundings = ConditionSurroundings(
            references: references, subject: subject(of: spec, references), grants: grants)
        settings.conditions = spec.conditions.map { $0.condition(in: surroundings) }
        settings.timeout = spec.endsByItself ? nil : spec.timeout
        settings.keepsItsTime = spec.endsByItself
        settings.endsInside = spec.hasFinally
        settings.hasInner = spec.hasInner
        settings.deadline =
            switch spec.deadline {
            case .at(let date): .at(date)
            case .after(let duration): .afterSubmission(duration)
            case nil: nil
            }
        guard let when = spec.when else { return }
        settings.gate = {
            do throws(AOperationError) {
                let isOpen = try when.evaluate(document: .null, lookup: references.value)
                if isOpen { return .open }
                return .closed(
                    AOperationError(.whenFalse, detail: "The gate `when` is closed.", state: .condition))
            } catch {
                return .broken(error)
            }
        }
    }

    private func delay(
        _ delay: DelaySpec, _ spec: OperationSpec, _ references: ReferenceReader
    ) -> AOperationRecipe<OperationResult> {
        let until: DelayOperation.Until =
            switch delay {
            case .for(let duration): .after(duration)
            case .until(let date): .date(date)
            case .sinceSubmission(let duration): .afterSubmission(duration)
            }
        let operation = DelayOperation(until, name: spec.name)
        return AOperationRecipe(name: spec.name) { context in
            let value = try spec.input?.resolve(lookup: references.value)
            try await operation.execute(in: context)
            return value.map { OperationResult(json: $0) } ?? .empty
        }
    }

    private func value(
        _ binding: Binding, _ name: String, _ references: ReferenceReader
    ) -> AOperationRecipe<OperationResult> {
        AOperationRecipe(name: name) { context in
            OperationResult(json: try binding.resolve(lookup: references.lookup(in: context)))
        }
    }

    private func network(
        _ call: NetworkSpec, _ spec: OperationSpec, _ references: ReferenceReader
    ) -> AOperationRecipe<OperationResult> {
        let operation = NetworkOperation(
            name: spec.name, call: call, expect: spec.expect ?? Expectation(), references: references)
        return operation.recipe(retry: spec.retry ?? .standard)
    }
}
