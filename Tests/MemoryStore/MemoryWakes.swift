import JobKit
import JobStore

/// The wake keys of a ledger in a transaction.
struct MemoryWakes: WakeRows {
    let transaction: MemoryTransaction

    func ids(of key: String, limit: Int) -> [JobID] {
        Array((transaction.ledger.wakes[key] ?? []).sorted().prefix(limit))
    }

    func put(_ keys: [String], of job: inout StoredJob) {
        if job.flags.contains(.wake) {
            for key in transaction.ledger.wakes.keys { transaction.ledger.wakes[key]?.remove(job.record.id) }
            job.flags.remove(.wake)
        }
        for key in keys {
            transaction.ledger.wakes[key, default: []].insert(job.record.id)
            job.flags.insert(.wake)
        }
    }

    func remove(_ key: String, of ids: [JobID]) { transaction.ledger.wakes[key]?.subtract(ids) }

    func settledKey() -> String? {
        let ledger = transaction.ledger
        return ledger.wakes.keys.sorted().first { key in
            guard ledger.wakes[key]?.isEmpty == false, let name = GrantRequest.name(wakeKey: key) else {
                return false
            }
            return ledger.grants[name]?.request == nil
        }
    }
}
