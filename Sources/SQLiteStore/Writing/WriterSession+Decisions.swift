import JobKit
import JobStore

/// Decisions about grants and approvals.
extension WriterSession {
    func put(
        _ grant: GrantRecord, at now: Timestamp
    ) throws(SQLiteFailure) -> Result<GrantReceipt, JobStoreError> {
        let known = try grants.grant(grant.name)
        if known == nil, let error = try grants.refusal() { return .failure(error) }
        var grant = grant
        grant.request = grant.status(at: now).isOpen ? known?.request : nil
        try grants.put(grant)
        let woken = try wake(key: GrantRequest.wakeKey(grant.name), at: now)
        return woken.map { GrantReceipt(grant: grant, isNew: known == nil, woken: $0) }
    }

    func request(
        _ name: String, _ request: GrantRequest
    ) throws(SQLiteFailure) -> Result<GrantRecord, JobStoreError> {
        let known = try grants.grant(name)
        var grant = known ?? GrantRecord(name: name)
        guard grant.status(at: request.at).isOpen, grant.request == nil else { return .success(grant) }
        if known == nil, let error = try grants.refusal() { return .failure(error) }
        grant.request = request
        try grants.put(grant)
        return .success(grant)
    }

    func removeGrant(
        _ name: String, at now: Timestamp
    ) throws(SQLiteFailure) -> Result<Int, JobStoreError> {
        guard try grants.grant(name) != nil else { return .failure(.noGrant(name)) }
        try grants.remove(name)
        return try wake(key: GrantRequest.wakeKey(name), at: now)
    }

    func decide(
        _ decision: ApprovalDecision
    ) throws(SQLiteFailure) -> Result<ApprovalReceipt, JobStoreError> {
        guard var approval = try approvals.approval(decision.id), var job = try job(approval.job) else {
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
        try approvals.answer(approval)
        try save(job, from: before)
        try journals.append([post.journal], to: job.number)
        return .success(
            ApprovalReceipt(
                approval: approval,
                post: PostReceipt(job: job.record, number: job.posts, isRunning: isRunning)))
    }
}
