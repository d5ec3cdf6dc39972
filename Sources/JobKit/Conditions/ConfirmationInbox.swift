internal import StrictJSON
internal import Synchronization

/// Questions to people, kept in memory until they are answered.
///
/// ```swift
/// let inbox = ConfirmationInbox()
/// queue.add(DropTable().condition(ConfirmationCondition(.init(id: "drop", title: "Drop it?"), at: inbox)))
/// try inbox.answer("drop", .approved(by: "ada"))
/// ```
public final class ConfirmationInbox: ConfirmationDesk {
    /// The reason why an answer is refused.
    public enum Refusal: String, Error, Sendable, Hashable {
        /// There is no such question.
        case unknown
        /// The question was answered before; the first answer counts.
        case answered
        /// The question expired, or no operation needs the answer any more.
        case withdrawn
    }

    private enum Entry {
        case open(ConfirmationQuestion, [UInt64: FirstAnswer<ConfirmationAnswer?>])
        case closed(ConfirmationAnswer)
        case withdrawn
    }

    private struct Board {
        var entries: [ByteKey: Entry] = [:]
        var nextTicket: UInt64 = 0
    }

    private let board = Mutex(Board())

    /// No questions.
    public init() {}

    /// The questions that wait for an answer, by id.
    public var openQuestions: [ConfirmationQuestion] {
        board.withLock { board in
            board.entries.values.compactMap { entry in
                if case .open(let question, _) = entry { question } else { nil }
            }.sorted { $0.id < $1.id }
        }
    }

    /// Answers a question; all operations that wait for it continue.
    /// - Throws: when it is not open.
    public func answer(_ id: String, _ answer: ConfirmationAnswer) throws(Refusal) {
        let result = board.withLock { board -> Result<[FirstAnswer<ConfirmationAnswer?>], Refusal> in
            switch board.entries[ByteKey(id)] {
            case nil: return .failure(.unknown)
            case .withdrawn, .closed(.expired): return .failure(.withdrawn)
            case .closed: return .failure(.answered)
            case .open(_, let waiters):
                board.entries[ByteKey(id)] = .closed(answer)
                return .success(Array(waiters.values))
            }
        }
        for waiter in try result.get() { waiter.give(answer) }
    }

    /// Removes a question that is not open, so that it can be asked again.
    public func forget(_ id: String) {
        board.withLock { board in
            if case .open = board.entries[ByteKey(id)] { return }
            board.entries[ByteKey(id)] = nil
        }
    }

    /// Asks, or joins an earlier request of the same question.
    /// - Throws: `CancellationError` when the operation is stopped.
    public func ask(
        _ question: ConfirmationQuestion, until end: Timestamp?, in context: OperationContext
    ) async throws -> ConfirmationAnswer {
        let answer = FirstAnswer<ConfirmationAnswer?>()
        guard let ticket = join(question, answer) else {
            return await self.answer(to: question) ?? .expired
        }
        let clock = context.clock
        let given = await withTaskGroup(of: Void.self) { group in
            if let end {
                group.addTask {
                    guard (try? await clock.sleep(until: end)) != nil else { return }
                    try? self.answer(question.id, .expired)
                }
            }
            let given = await withTaskCancellationHandler {
                await answer.value()
            } onCancel: {
                answer.give(nil)
            }
            group.cancelAll()
            return given
        }
        if let given { return given }
        leave(question, ticket)
        throw CancellationError()
    }

    /// The answer; nil while the question is open, withdrawn or unknown.
    public func answer(to question: ConfirmationQuestion) async -> ConfirmationAnswer? {
        board.withLock { board in
            if case .closed(let answer) = board.entries[ByteKey(question.id)] { answer } else { nil }
        }
    }

    /// Nil when it was answered already. An expired or withdrawn question is asked again.
    private func join(_ question: ConfirmationQuestion, _ answer: FirstAnswer<ConfirmationAnswer?>) -> UInt64?
    {
        board.withLock { board in
            board.nextTicket += 1
            switch board.entries[ByteKey(question.id)] {
            case .open(let opened, var waiters):
                waiters[board.nextTicket] = answer
                board.entries[ByteKey(question.id)] = .open(opened, waiters)
            case nil, .withdrawn, .closed(.expired):
                board.entries[ByteKey(question.id)] = .open(question, [board.nextTicket: answer])
            case .closed: return nil
            }
            return board.nextTicket
        }
    }

    private func leave(_ question: ConfirmationQuestion, _ ticket: UInt64) {
        board.withLock { board in
            guard case .open(let opened, var waiters) = board.entries[ByteKey(question.id)] else { return }
            waiters[ticket] = nil
            board.entries[ByteKey(question.id)] = waiters.isEmpty ? .withdrawn : .open(opened, waiters)
        }
    }
}
