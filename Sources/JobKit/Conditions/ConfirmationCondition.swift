/// Requires a person's confirmation. The question is asked when all dependencies of the operation have finished, unless
/// it was answered before, and withdrawn when the operation is cancelled.
///
/// It fails with `approval.rejected` or `approval.expired`. A `SilentCondition` does not ask and fails with
/// `approval.unanswered` when there is no answer yet.
public struct ConfirmationCondition: OperationCondition {
    private let question: ConfirmationQuestion
    private let desk: any ConfirmationDesk

    /// Asks `question` at `desk`.
    public init(_ question: ConfirmationQuestion, at desk: any ConfirmationDesk) {
        self.question = question
        self.desk = desk
    }

    /// `confirmation`
    public var name: String { "confirmation" }
    /// Made of the question's id.
    public var identity: ConditionIdentity? { ConditionIdentity(name, [question.id]) }

    /// The question, if it is unanswered.
    public func prerequisites(in context: ConditionContext) async -> [Prerequisite] {
        if context.isSilent { return [] }
        if let answer = try? await desk.answer(to: question), answer != .expired { return [] }
        return [Prerequisite(AskConfirmation(question, at: desk))]
    }

    /// Checks the answer.
    public func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        if let confirmation = context.prerequisites.first {
            if confirmation.ending.state == .succeeded { return .satisfied }
            guard var error = confirmation.ending.errors.first, error.code.family == "approval" else {
                return .failed(Prerequisite.error(about: confirmation.name, confirmation.ending))
            }
            error.publisher = nil
            error.path = []
            return .failed(error)
        }
        do {
            guard let answer = try await desk.answer(to: question) else {
                return .failed(
                    AOperationError(
                        .approvalUnanswered, detail: "\"\(question.title)\" has not been answered yet.",
                        stage: .condition))
            }
            return answer.refusal(of: question).map(ConditionVerdict.failed) ?? .satisfied
        } catch {
            return .failed(.brokenCondition("\(name) could not be evaluated.", because: error))
        }
    }
}

/// Asks a person and succeeds when they confirm.
public struct AskConfirmation: AOperation {
    private let question: ConfirmationQuestion
    private let desk: any ConfirmationDesk

    /// Asks `question` at `desk`.
    public init(_ question: ConfirmationQuestion, at desk: any ConfirmationDesk) {
        self.question = question
        self.desk = desk
    }

    /// `ask …`
    public var name: String { "ask \(question.id)" }

    /// The operation; exclusive for its audience when the question is.
    public var recipe: OperationRecipe<ConfirmationAnswer> {
        let recipe = OperationRecipe(name) { context in try await self.execute(in: context) }
        guard question.isExclusive else { return recipe }
        return recipe.condition(MutualExclusion("confirmation:\(question.audience ?? "")"))
    }

    /// Asks and waits for the answer.
    /// - Throws: `approval.rejected`, `approval.expired`, or the desk's error.
    public func execute(in context: OperationContext) async throws -> ConfirmationAnswer {
        let end = question.expiresIn.map { context.startedAt.advanced(by: $0) }
        let answer = try await desk.ask(question, until: end, in: context)
        if let refusal = answer.refusal(of: question) { throw refusal }
        return answer
    }
}
