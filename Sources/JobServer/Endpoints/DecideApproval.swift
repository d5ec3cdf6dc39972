import HTTPMessage
import JobKit
import JobRunner
import JobStore
import StrictJSON

/// `POST /v1/approvals/{id}:approve` and `:reject`: a person's decision. The first one counts.
enum DecideApproval {
    /// The maximum length of the comment, in bytes.
    static let commentBytesMax = 1_000

    static func approve(_ context: RequestContext) throws(Problem) { try decide(context, isApproved: true) }

    static func reject(_ context: RequestContext) throws(Problem) { try decide(context, isApproved: false) }

    /// Stores the decision and the post to its job in one transaction: 200 with the approval.
    private static func decide(_ context: RequestContext, isApproved: Bool) throws(Problem) {
        try context.refuseQuery()
        let id = try context.approvalID()
        var body = try CommandBody(context.request)
        var decision = ApprovalDecision(
            id: id, isApproved: isApproved, by: context.caller.by, at: context.startedAt)
        decision.comment = body.text("comment", bytesMax: commentBytesMax)
        decision.digest = body.text("digest", bytesMax: 200)
        try body.finish()
        let message = decision.message
        context.auditedStore.perform(decision) { result in
            if case .success = result { context.server.metrics.countAnswer(isApproved: isApproved) }
            if case .success(let receipt) = result, receipt.post.isRunning {
                context.server.engine.deliver(
                    message, number: receipt.post.number, to: receipt.approval.job)
            }
            context.goOn { () throws(Problem) in
                let approval = try stored(result.get()).approval
                let now = SystemTime.now()
                let body =
                    context.showsJobs
                    ? ApprovalBody.bytes(approval, at: now, base: context.base)
                    : ApprovalBody.minimal(approval, at: now)
                context.answer(.ok, json: body)
            }
        }
    }
}

/// `GET /v1/approvals/{id}`
enum ReadApproval {
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.approvalID()
        let found = try stored(context.reader.approval(id))
        guard let found else { throw Problem(.noApproval(id)) }
        context.answer(
            .ok, json: ApprovalBody.bytes(found, at: context.startedAt, base: context.base))
    }
}

extension RequestContext {
    /// The approval id in the path.
    /// - Throws: `.approvalNotFound` when it is malformed.
    fileprivate func approvalID() throws(Problem) -> ApprovalID {
        if let id = ApprovalID(utf8: parameter) { return id }
        let text = String(decoding: parameter.prefix(80), as: UTF8.self)
        throw Problem(
            .approvalNotFound,
            "\"\(text)\" is not an approval's id. Ids are \"apr_\" and 26 letters and digits.")
    }
}
