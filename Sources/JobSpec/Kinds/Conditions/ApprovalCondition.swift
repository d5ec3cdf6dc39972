internal import JobKit
internal import StrictJSON
internal import Synchronization

/// Requires a person's approval of the operation.
///
/// The approval opens once all dependencies of the operation have finished, and shows the operation with all values
/// resolved. The decision is bound to these: after a retry with other values it does not count, and a new approval
/// opens, as it does when a finished operation is repeated. A rejection counts for the try in which it was given.
/// Evaluated silently it opens nothing: it holds when exactly this request was approved earlier in the job.
struct ApprovalCondition: OperationCondition {
    /// Makes the subject of the decision.
    typealias Subject = @Sendable (ConditionContext) async throws(AOperationError) -> ApprovalSubject

    let question: ApprovalQuestion
    let subject: Subject

    var name: String { "approval" }

    /// Made of the question.
    var identity: ConditionIdentity? {
        ConditionIdentity(
            name,
            [
                question.prompt, question.audience ?? "", question.timeout.map { "\($0)" } ?? "",
                question.onTimeout.rawValue,
            ])
    }

    func evaluate(in context: ConditionContext) async -> ConditionVerdict {
        guard let digest = context.environment.digest, let journal = context.environment.journal else {
            return .failed(
                AOperationError(
                    .conditionBroken, detail: "Approvals need a durable job and a digest.", stage: .condition)
            )
        }
        let subject: ApprovalSubject
        do throws(AOperationError) { subject = try await self.subject(context) } catch {
            return .failed(error)
        }
        let text = subject.text
        let sum = await context.environment.workedOut(text.count) { digest(text) }
        let pending = PendingApproval(
            question: question, subject: subject, digest: sum, core: context.core, journal: journal)
        if pending.isApproved(anywhere: context.isSilent) { return .satisfied }
        if context.isSilent {
            return .failed(
                AOperationError(
                    .approvalUnanswered, detail: "\(context.operation) was not approved earlier in this job.",
                    stage: .condition))
        }
        do {
            return try await pending.answer()
        } catch {
            return .failed(
                AOperationError(
                    .cancelledUser, detail: "Stopped while it waited for an approval.", stage: .condition))
        }
    }
}

/// Opens an approval or finds the open one, and waits for the decision.
private struct PendingApproval: Sendable {
    let question: ApprovalQuestion
    let subject: ApprovalSubject
    let digest: String
    let core: OperationCore
    let journal: any OperationJournal

    /// Whether exactly this request was approved: for the operation itself, or anywhere in the job.
    func isApproved(anywhere: Bool) -> Bool {
        let histories = journal.fold.histories
        if anywhere {
            return histories.values.contains { history in
                history.approvals.contains { $0.request.digest == digest && isApproved($0) }
            }
        }
        return histories[core.path]?.approvals.contains {
            !$0.isSpent && isSame($0.request) && isApproved($0)
        } ?? false
    }

    /// Waits for the decision.
    /// - Throws: when the operation is cancelled.
    func answer() async throws -> ConditionVerdict {
        let known = journal.fold.histories[core.path]?.approvals.last { !$0.isEarlier && isSame($0.request) }
        let request = known?.request ?? open()
        if let message = message(to: request.id) { return verdict(message, request.id) }
        if let expiredAs = known?.expiredAs { return expired(request, expiredAs) }
        let id = request.id
        let message = try await core.messages.first(
            OperationWait(until: request.expiresAt, reason: .approval, key: id.description), takes: false
        ) { $0.answers(id) }
        if let message { return verdict(message, id) }
        let isApproved = request.question.onTimeout == .continue
        journal.record(
            JournalEntry(
                at: core.environment.clock.now, path: core.path,
                event: .approvalExpired(id, isApproved: isApproved)))
        try await journal.flush()
        // A decision that reached the store before this entry takes precedence.
        if let message = self.message(to: id) { return verdict(message, id) }
        return expired(request, isApproved)
    }

    private func open() -> ApprovalRequest {
        let now = core.environment.clock.now
        var random = SystemRandomNumberGenerator()
        let request = ApprovalRequest(
            id: ApprovalID(at: now, using: &random), question: question, request: subject.shown,
            digest: digest, expiresAt: question.timeout.map { now.advanced(by: $0) })
        journal.record(JournalEntry(at: now, path: core.path, event: .approvalRequested(request)))
        return request
    }

    private func isSame(_ request: ApprovalRequest) -> Bool {
        request.digest == digest && request.question.prompt.hasSameBytes(as: question.prompt)
            && request.question.audience == question.audience
    }

    private func isApproved(_ note: OperationHistory.ApprovalNote) -> Bool {
        if case .approval(_, let isApproved, _) = message(to: note.request.id)?.content { return isApproved }
        return note.expiredAs == true
    }

    private func message(to id: ApprovalID) -> JobMessage? {
        let inbox = core.environment.inbox
        return inbox.first(takes: false) { $0.answers(id) }.flatMap { inbox[$0] }
    }

    private func verdict(_ message: JobMessage, _ id: ApprovalID) -> ConditionVerdict {
        guard case .approval(_, let isApproved, let comment) = message.content, !isApproved else {
            return .satisfied
        }
        let why = comment.map { ": \($0)" } ?? "."
        return .failed(
            error(
                .approvalRejected, "\(core.name) was rejected\(Requester.text(message.by))\(why)", id,
                by: message.by, comment: comment))
    }

    private func expired(_ request: ApprovalRequest, _ isApproved: Bool) -> ConditionVerdict {
        if isApproved { return .satisfied }
        let until = request.expiresAt.map { " by \($0)" } ?? " in time"
        return .failed(
            error(
                .approvalExpired,
                "The approval of \(core.name) was not decided\(until). Retry the job to ask again.",
                request.id, by: nil, comment: nil))
    }

    private func error(
        _ code: ErrorCode, _ detail: String, _ id: ApprovalID, by: String?, comment: String?
    ) -> AOperationError {
        var error = AOperationError(code, detail: detail, stage: .condition)
        var info = JSONObject([("approval_id", .string(id.description))])
        if let by, !by.isEmpty { info["by"] = .string(by) }
        if let comment { info["comment"] = .string(comment) }
        error.publishedError = .init(
            domain: "approval", code: 0, description: detail, failureReason: comment, info: info)
        return error
    }
}

extension JobMessage {
    /// Whether the message is the decision about this approval.
    fileprivate func answers(_ id: ApprovalID) -> Bool {
        if case .approval(let text, _, _) = content { return text == id.description }
        return false
    }
}
