import JobKit
import JobStore

/// Approvals and grants.
extension MemoryLedger {
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
