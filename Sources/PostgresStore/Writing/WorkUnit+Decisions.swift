import JobKit
import JobStore

/// Decisions about grants and approvals.
extension WorkUnit {
    func put(
        _ grant: GrantRecord, at now: Timestamp
    ) throws(PostgresFailure) -> Result<GrantReceipt, JobStoreError> {
        let known = try tables.grants.grant(grant.name, locks: true)
        if known == nil, let error = try tables.grants.refusal(limits.grantsMax) { return .failure(error) }
        var grant = grant
        grant.request = grant.status(at: now).isOpen ? known?.request : nil
        try tables.grants.put(grant)
        let woken = try wake(key: GrantRequest.wakeKey(grant.name), at: now)
        return woken.map { GrantReceipt(grant: grant, isNew: known == nil, woken: $0) }
    }

    func request(
        _ name: String, _ request: GrantRequest
    ) throws(PostgresFailure) -> Result<GrantRecord, JobStoreError> {
        let known = try tables.grants.grant(name, locks: true)
        var grant = known ?? GrantRecord(name: name)
        guard grant.status(at: request.at).isOpen, grant.request == nil else { return .success(grant) }
        if known == nil, let error = try tables.grants.refusal(limits.grantsMax) { return .failure(error) }
        grant.request = request
        try tables.grants.put(grant)
        return .success(grant)
    }

    func removeGrant(
        _ name: String, at now: Timestamp
    ) throws(PostgresFailure) -> Result<Int, JobStoreError> {
        guard try tables.grants.grant(name, locks: true) != nil else { return .failure(.noGrant(name)) }
        try tables.grants.remove(name)
        return try wake(key: GrantRequest.wakeKey(name), at: now)
    }

    func decide(
        _ decision: ApprovalDecision
    ) throws(PostgresFailure) -> Result<ApprovalReceipt, JobStoreError> {
        // The job is locked before the approval, as runs do.
        guard let found = try tables.approvals.approval(decision.id, locks: false),
            var job = try touched.job(found.job),
            var approval = try tables.approvals.approval(decision.id, locks: true)
        else { return .failure(.notFound(decision.id)) }
        let before = job.record
        let post = decision.post(to: approval.job)
        let isRunning: Bool
        do throws(JobStoreError) {
            try approval.decide(decision)
            isRunning = try job.take(post, postsMax: limits.postsMax)
        } catch {
            return .failure(error)
        }
        try tables.approvals.close(
            decision.id, as: approval.written, at: approval.closedAt, by: approval.by,
            comment: approval.comment)
        try save(job, from: before)
        touched.append([post.journal], to: approval.job)
        if isRunning { note(RunRequest(id: approval.job, journal: post.journal, number: job.posts)) }
        return .success(
            ApprovalReceipt(
                approval: approval,
                post: PostReceipt(job: job.record, number: job.posts, isRunning: isRunning)))
    }
}
