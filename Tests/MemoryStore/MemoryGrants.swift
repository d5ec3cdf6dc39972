import JobKit
import JobStore

/// The grants of a ledger in a transaction.
struct MemoryGrants: GrantRows {
    let transaction: MemoryTransaction

    func grant(_ name: String) -> GrantRecord? { transaction.ledger.grants[name] }

    func count() -> Int { transaction.ledger.grants.count }

    func put(_ grant: GrantRecord) { transaction.ledger.grants[grant.name] = grant }

    func remove(_ name: String) { transaction.ledger.grants[name] = nil }

    func hasNews(for wakeKeys: [String]) -> Bool {
        let now = SystemClock().now
        return wakeKeys.contains { key in
            guard let name = GrantRequest.name(wakeKey: key) else { return false }
            return grant(name)?.isAsked(at: now) != true
        }
    }
}
