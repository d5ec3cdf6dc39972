internal import JobKit
internal import StrictJSON

/// Runs an operation inside another one that is being executed, and waits for its end.
struct InnerRun: Sendable {
    let compiler: SpecCompiler
    /// The enclosing operation.
    let context: OperationContext

    /// Runs `spec` at `path` and returns its ending. If an earlier run of the job has recorded it, nothing is run.
    /// - Parameter isNumbered: whether the last part of the path is a number instead of the name.
    /// - Throws: when the enclosing operation is being cancelled, and `job.too_large` when the job has too many
    ///   operations.
    func ending(
        of spec: OperationSpec, at place: SpecPlace, path: [String], isNumbered: Bool = false
    ) async throws -> OperationEnding {
        try await run(spec, at: place, path: path, isNumbered: isNumbered).ending
    }

    /// The same for one of several, whose paths end with a number, with what it noted under some names.
    func ending(
        of spec: OperationSpec, at place: SpecPlace, path: [String], noted names: [String]
    ) async throws -> (OperationEnding, [String: JSONValue]) {
        let (ending, core) = try await run(spec, at: place, path: path, isNumbered: true)
        let past = core == nil ? context.core.environment.journal?.history(of: path)?.notes ?? [:] : [:]
        var notes: [String: JSONValue] = [:]
        for name in names { notes[name] = core.map { $0.kept(name) } ?? past[name] }
        return (ending, notes)
    }

    /// Ends the operation at `path` with the result that an attempt had stored when the server ended.
    /// - Throws: when the enclosing operation is being cancelled.
    func end(at path: [String], with result: OperationResult) async throws -> OperationEnding {
        try context.checkStop()
        let ending = OperationEnding(state: .succeeded, result: result)
        guard let journal = context.core.environment.journal else { return ending }
        let now = context.clock.now
        if let open = journal.history(of: path)?.openAttempt {
            let record = AttemptRecord(
                number: open.number, startedAt: open.startedAt, finishedAt: now, outcome: .succeeded,
                status: result.status)
            journal.record(JournalEntry(at: now, path: path, event: .attemptFinished(record)))
        }
        journal.record(JournalEntry(at: now, path: path, event: .finished(ending)))
        try await journal.flush()
        compiler.board.post(ending, at: path)
        return ending
    }

    /// Ends `spec` at `path` as skipped without running it, and records that, if no earlier run of the job has.
    /// - Throws: when the enclosing operation is being cancelled, and `job.too_large` when the job has too many
    ///   operations.
    func skip(_ spec: OperationSpec, path: [String], because error: AOperationError) async throws {
        if let ending = context.core.environment.journal?.history(of: path)?.ending {
            return compiler.board.post(ending, at: path)
        }
        try context.checkStop()
        try compiler.budget.enter(path.suffix(1), below: path.dropLast())
        var recipe = OperationRecipe<OperationResult>(spec.name) { _ in .empty }
        recipe.settings.gate = { .closed(error) }
        compiler.board.post(await context.finished(recipe).core.waitUntilFinished(), at: path)
    }

    /// - Returns: the core, too; nil when nothing was run.
    private func run(
        _ spec: OperationSpec, at place: SpecPlace, path: [String], isNumbered: Bool
    ) async throws -> (ending: OperationEnding, core: OperationCore?) {
        if !spec.hasFinally || context.core.environment.journal?.history(of: path)?.startedAt == nil {
            try context.checkStop()
        }
        if let ending = context.core.environment.journal?.history(of: path)?.ending {
            compiler.board.post(ending, at: path)
            return (ending, nil)
        }
        try compiler.budget.enter(path.suffix(1), below: path.dropLast())
        var recipe = compiler.recipe(for: spec, at: place, path: path)
        if isNumbered { recipe.step = path.last }
        let core = await context.finished(recipe).core
        let ending = await core.waitUntilFinished()
        compiler.board.post(ending, at: path)
        try context.checkStop()
        return (ending, core)
    }
}

extension OperationEnding {
    /// The result of an operation that ends as the one inside, which has this ending. Its `on_failure` is about groups.
    /// - Throws: its errors, a skip, or its cancellation as an error.
    func passedOn() throws -> OperationResult {
        switch state {
        case .succeeded: return result ?? .empty
        case .failed, .expired: throw OperationErrors(list: errors)
        default: throw OperationSkip(errors: errors)
        }
    }
}
