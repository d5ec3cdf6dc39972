/// Where people are asked. `ConfirmationInbox` keeps the questions in memory; a program may bring a desk of its own.
public protocol ConfirmationDesk: Sendable {
    /// Asks, and returns as soon as somebody answered. Cancelling the task withdraws the question.
    /// - Parameters:
    ///   - end: when the question expires; the answer is `expired` then. Nil is never.
    ///   - context: of the operation that asks, to wait durably with.
    func ask(
        _ question: ConfirmationQuestion, until end: Timestamp?, in context: AOperationContext
    ) async throws -> ConfirmationAnswer

    /// What was answered to the question earlier; nil when nobody did. Asks nobody.
    func answer(to question: ConfirmationQuestion) async throws -> ConfirmationAnswer?
}

/// A question that a person answers with yes or no.
public struct ConfirmationQuestion: Sendable, Hashable {
    /// Tells it from others; the same id is the same question.
    public var id: String
    /// The question in one line.
    public var title: String
    /// What the person should know before answering.
    public var message: String?
    /// The word for yes.
    public var approveLabel = "Approve"
    /// The word for no.
    public var declineLabel = "Decline"
    /// Whether yes cannot be undone.
    public var isDestructive = false
    /// Who is to answer; nil is anybody.
    public var audience: String?
    /// How long it may be answered; nil is without end.
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

/// What came of a question.
public enum ConfirmationAnswer: Sendable, Hashable {
    /// Yes, by this person, with what they said.
    case approved(by: String, comment: String? = nil)
    /// No, by this person, with what they said.
    case declined(by: String, comment: String? = nil)
    /// Nobody answered in time.
    case expired

    /// Why it is not a yes; nil when it is one.
    func refusal(of question: ConfirmationQuestion) -> AOperationError? {
        switch self {
        case .approved: return nil
        case .declined(let person, let comment):
            let words = comment.map { ": \($0)" } ?? "."
            return AOperationError(
                .approvalRejected, detail: "\(person) declined \"\(question.title)\"\(words)",
                state: .condition)
        case .expired:
            return AOperationError(
                .approvalExpired, detail: "Nobody answered \"\(question.title)\" in time.", state: .condition)
        }
    }
}
