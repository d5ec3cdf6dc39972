import JobKit
import JobStore

/// The wake keys of a ledger in a transaction.
struct MemoryWakes: WakeRows {
    let transaction: MemoryTransaction

    func ids(of key: String, limit: Int) -> [JobID] {
        Array((transaction.ledger.wakes[key] ?? []).sorted().prefix(limit))
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
