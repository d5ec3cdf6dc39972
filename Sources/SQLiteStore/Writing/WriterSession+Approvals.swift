import JobKit
import JobStore

/// What people are asked to approve.
extension WriterSession {
    func decide(
        _ decision: ApprovalDecision
    ) throws(SQLiteFailure) -> Result<ApprovalReceipt, JobStoreError> {
        guard var approval = try approval(decision.id), var job = try job(approval.job) else {
            return .failure(.notFound(decision.id))
        }
        let before = job.record
        let post = decision.post(to: approval.job)
        let isRunning: Bool
        do throws(JobStoreError) {
            try approval.decide(decision)
            isRunning = try job.take(post, postsMax: limits.postsMax)
        } catch {
            return .failure(error)
        }
        people.answerApproval.bind(1, decision.id.bits)
        people.answerApproval.bind(2, approval.written.stored)
        people.answerApproval.bind(3, approval.closedAt)
        people.answerApproval.bind(4, approval.by)
        people.answerApproval.bind(5, approval.comment)
        try people.answerApproval.run()
        try save(job, from: before)
        try append([post.journal], to: job.number)
        return .success(
            ApprovalReceipt(
                approval: approval,
                post: PostReceipt(job: job.record, number: job.mail, isRunning: isRunning)))
    }

    private func approval(_ id: ApprovalID) throws(SQLiteFailure) -> ApprovalRecord? {
        people.approvalByID.bind(1, id.bits)
        defer { people.approvalByID.reset() }
        return try people.approvalByID.step() ? try ApprovalRecord(row: people.approvalByID) : nil
    }

    /// Does what journal entries say about approvals.
    func noteApprovals(in journal: [JournalEntry], of job: inout StoredJob) throws(SQLiteFailure) {
        for entry in journal {
            switch entry.event {
            case .approvalRequested(let request):
                try open(request, of: job.number, entry)
                job.ties.insert(.approval)
            case .approvalExpired(let id, let isApproved):
                people.closeApproval.bind(1, id.bits)
                people.closeApproval.bind(2, (isApproved ? ApprovalState.approved : .expired).stored)
                people.closeApproval.bind(3, entry.at)
                try people.closeApproval.run()
            case .started, .finished:
                guard job.ties.contains(.approval) else { continue }
                people.withdrawPath.bind(1, job.number)
                people.withdrawPath.bind(2, entry.at)
                people.withdrawPath.bind(3, entry.path.joined(separator: "/"))
                try people.withdrawPath.run()
            default: break
            }
        }
    }

    private func open(
        _ request: ApprovalRequest, of number: Int64, _ entry: JournalEntry
    ) throws(SQLiteFailure) {
        let statement = people.insertApproval
        statement.bind(1, request.id.bits)
        statement.bind(2, number)
        statement.bind(3, entry.path.joined(separator: "/"))
        statement.bind(4, entry.at)
        statement.bind(5, request.expiresAt)
        statement.bind(6, request.question.onTimeout == .approve ? Int64(1) : Int64(0))
        statement.bind(7, request.question.audience)
        try statement.run(with: request.encoded(), at: 8)
    }

    /// Withdraws all open approvals of a job.
    func withdrawApprovals(of number: Int64, at now: Timestamp) throws(SQLiteFailure) {
        people.withdrawAll.bind(1, number)
        people.withdrawAll.bind(2, now)
        try people.withdrawAll.run()
    }
}
