import JobKit
import JobStore

/// Approvals and grants.
extension MemoryLedger {
    mutating func decide(_ decision: ApprovalDecision) throws(JobStoreError) -> ApprovalReceipt {
        guard var approval = approvals[decision.id], var job = entries[approval.job]?.job else {
            throw .notFound(decision.id)
        }
        try approval.decide(decision)
        let post = decision.post(to: approval.job)
        let isRunning = try job.take(post, limits: limits)
        approvals[decision.id] = approval
        put(job, journal: [post.journal])
        let receipt = PostReceipt(job: job.record, number: job.lastPost, isRunning: isRunning)
        if isRunning {
            requests.append(RunRequest(id: post.id, journal: post.journal, number: receipt.number))
        }
        return ApprovalReceipt(approval: approval, post: receipt)
    }

    /// Applies journal entries to approvals.
    mutating func noteApprovals(in journal: [JournalEntry], of job: inout StoredJob) {
        for entry in journal {
            switch entry.event {
            case .approvalRequested(let request):
                approvals[request.id] = ApprovalRecord(
                    request: request, job: job.record.id, path: entry.path, openedAt: entry.at)
                job.flags.insert(.approval)
            case .approvalExpired(let id, let isApproved):
                _ = approvals[id]?.close(as: isApproved ? .approved : .expired, at: entry.at)
            case .started, .finished:
                if job.flags.contains(.approval) {
                    withdrawApprovals(of: job.record.id, path: entry.path, at: entry.at)
                }
            default: break
            }
        }
    }

    /// Withdraws the open approvals of a job, or of one operation of it.
    mutating func withdrawApprovals(of job: JobID, path: [String]? = nil, at now: Timestamp) {
        for (id, approval) in approvals
        where approval.job == job && (path.map { $0 == approval.path } ?? true) {
            _ = approvals[id]?.close(as: .withdrawn, at: now)
        }
    }

    func page(_ query: ApprovalQuery) -> ApprovalPage {
        let limit = StoreRange.page(query.limit)
        let found = approvals.values.filter { approval in
            query.shows(approval)
                && query.tenant.map { $0.owns(entries[approval.job]?.job.record.queue ?? "") } ?? true
        }.sorted { $0.request.id > $1.request.id }
        return ApprovalPage(Array(found.prefix(limit + 1)), limit: limit)
    }

    mutating func put(_ grant: GrantRecord, at now: Timestamp) throws(JobStoreError) -> GrantReceipt {
        let known = grants[grant.name]
        guard known != nil || grants.count < limits.grantsMax else { throw .grantsFull(limits.grantsMax) }
        var grant = grant
        grant.request = grant.status(at: now).isOpen ? known?.request : nil
        grants[grant.name] = grant
        return GrantReceipt(
            grant: grant, isNew: known == nil,
            wake: wake(key: GrantRequest.wakeKey(grant.name), limit: WakeReceipt.part, at: now))
    }

    mutating func request(_ name: String, _ request: GrantRequest) throws(JobStoreError) -> GrantRecord {
        var grant = grants[name] ?? GrantRecord(name: name)
        guard grant.status(at: request.at).isOpen, grant.request == nil else { return grant }
        guard grants[name] != nil || grants.count < limits.grantsMax else {
            throw .grantsFull(limits.grantsMax)
        }
        grant.request = request
        grants[name] = grant
        return grant
    }

    mutating func removeGrant(_ name: String, at now: Timestamp) throws(JobStoreError) -> WakeReceipt {
        guard grants.removeValue(forKey: name) != nil else { throw .noGrant(name) }
        return wake(key: GrantRequest.wakeKey(name), limit: WakeReceipt.part, at: now)
    }

    mutating func wakeSettled(limit: Int, at now: Timestamp) -> WakeReceipt {
        let settled = wakes.keys.sorted().first { key in
            guard wakes[key]?.isEmpty == false, let name = GrantRequest.name(wakeKey: key) else {
                return false
            }
            return grants[name]?.request == nil
        }
        guard let settled else { return WakeReceipt(woken: 0, isMore: false) }
        return WakeReceipt(woken: wake(key: settled, limit: limit, at: now).woken, isMore: true)
    }

    /// Whether one of the grants that a job is suspended for was decided or removed meanwhile.
    func hasNews(for wakeKeys: [String]) -> Bool {
        let now = SystemClock().now
        return wakeKeys.contains { key in
            guard let name = GrantRequest.name(wakeKey: key) else { return false }
            return grants[name]?.isAsked(at: now) != true
        }
    }

    func waiting(for key: String, limit: Int) -> [JobID] {
        let waiting = (wakes[key] ?? []).filter { entries[$0]?.job.record.state.isSuspended ?? false }
        return Array(waiting.sorted().prefix(limit))
    }
}
