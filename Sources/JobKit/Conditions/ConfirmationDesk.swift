/// The place where people are asked. `ConfirmationInbox` keeps the questions in memory; a program may provide its own.
public protocol ConfirmationDesk: Sendable {
    /// Asks, and returns as soon as the question is answered. Cancelling the task withdraws it.
    /// - Parameters:
    ///   - question: the question.
    ///   - end: the expiry of the question; the answer is `expired` then. Nil means never.
    ///   - context: of the asking operation, for durable waits.
    /// - Throws: when the question cannot be asked, or the operation is stopped.
    func ask(
        _ question: ConfirmationQuestion, until end: Timestamp?, in context: OperationContext
    ) async throws -> ConfirmationAnswer

    /// An earlier answer to the question; nil when there is none. Without side effects.
    /// - Throws: when earlier answers cannot be looked up.
    func answer(to question: ConfirmationQuestion) async throws -> ConfirmationAnswer?
}

/// A yes-or-no question to a person.
public struct ConfirmationQuestion: Sendable, Hashable {
    /// The identity of the question; the same id is the same question.
    public var id: String
    /// The question in one line.
    public var title: String
    /// Further information for the person.
    public var message: String?
    /// The label for yes.
    public var approveLabel = "Approve"
    /// The label for no.
    public var declineLabel = "Decline"
    /// Whether the effect of yes cannot be undone.
    public var isDestructive = false
    /// The intended audience; nil means anyone.
    public var audience: String?
    /// The time to answer; nil means no limit.
    public var expiresIn: Duration?
    /// Whether its audience has at most one exclusive question open at a time; others wait.
    public var isExclusive = false

    /// A question.
    public init(id: String, title: String, message: String? = nil, expiresIn: Duration? = nil) {
        self.id = id
        self.title = title
        self.message = message
        self.expiresIn = expiresIn
    }
}

/// The answer to a question.
public enum ConfirmationAnswer: Sendable, Hashable {
    /// Approved by this person, with their comment.
    case approved(by: String, comment: String? = nil)
    /// Rejected by this person, with their comment.
    case declined(by: String, comment: String? = nil)
    /// The question was not answered in time.
    case expired

    /// The error when it is not a yes; nil when it is one.
    func refusal(of question: ConfirmationQuestion) -> AOperationError? {
        switch self {
        case .approved: return nil
        case .declined(let person, let comment):
            let words = comment.map { ": \($0)" } ?? "."
            return AOperationError(
                .approvalRejected, detail: "\(person) declined \"\(question.title)\"\(words)",
                stage: .condition)
        case .expired:
            return AOperationError(
                .approvalExpired, detail: "\"\(question.title)\" was not answered in time.", stage: .condition
            )
        }
    }
}
