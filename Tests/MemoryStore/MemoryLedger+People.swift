import JobKit
import JobStore

/// Approvals and grants.
extension MemoryLedger {
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

    func waiting(for key: String, limit: Int) -> [JobID] {
        let waiting = (wakes[key] ?? []).filter { entries[$0]?.job.record.state.isSuspended ?? false }
        return Array(waiting.sorted().prefix(limit))
    }
}

/// The approvals of a ledger in a transaction.
struct MemoryApprovals: ApprovalRows {
    typealias Failure = Never

    let transaction: MemoryTransaction

    func open(_ approval: ApprovalRecord, of job: StoredJob) {
        transaction.ledger.approvals[approval.request.id] = approval
    }

    func answer(_ approval: ApprovalRecord) { transaction.ledger.approvals[approval.request.id] = approval }

    func close(_ id: ApprovalID, as state: ApprovalState, at time: Timestamp) {
        _ = transaction.ledger.approvals[id]?.close(as: state, at: time)
    }

    func withdraw(of job: StoredJob, at path: [String]?, _ time: Timestamp) {
        transaction.ledger.withdrawApprovals(of: job.record.id, path: path, at: time)
    }
}
