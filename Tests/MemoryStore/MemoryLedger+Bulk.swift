import JobKit
import JobStore

extension MemoryLedger {
    /// A bulk action with its ids and results.
    struct Bulk: Sendable {
        let number: Int64
        var record: BulkRecord
        var ids: [JobID]
        var results: [BulkResult] = []
    }

    func bulk(_ number: Int64) -> Bulk? { bulks.values.first { $0.number == number } }

    mutating func changeBulk(_ number: Int64, _ change: (inout Bulk) -> Void) {
        guard let id = bulk(number)?.record.id, var bulk = bulks[id] else { return }
        change(&bulk)
        bulks[id] = bulk
    }

    mutating func removeBulks(before time: Timestamp, limit: Int) -> Int {
        let old = bulks.filter { $0.value.record.finishedAt.map { $0 < time } ?? false }
        let times = old.mapValues { $0.record.finishedAt ?? .never }
        var removed = 0
        for (id, _) in times.sorted(by: { ($0.value, $0.key) < ($1.value, $1.key) }) where removed < limit {
            let results = min(bulks[id]?.results.count ?? 0, limit - removed)
            bulks[id]?.results.removeFirst(results)
            removed += results
            if removed == limit { break }
            bulks[id] = nil
            removed += 1
        }
        return removed
    }
}

/// The bulk actions of a ledger in a transaction.
struct MemoryBulks: BulkRows {
    let transaction: MemoryTransaction

    func runningCount() -> Int { transaction.ledger.bulks.values.count { $0.record.state == .running } }

    func bulk(_ id: BulkID) -> (number: Int64, record: BulkRecord)? {
        transaction.ledger.bulks[id].map { ($0.number, $0.record) }
    }

    func ids(of number: Int64, from place: Int, count: Int) -> [JobID] {
        Array((transaction.ledger.bulk(number)?.ids ?? []).dropFirst(place).prefix(count))
    }

    func add(_ results: [BulkResult], of number: Int64, from place: Int) {
        transaction.ledger.changeBulk(number) { $0.results += results }
    }

    func update(_ number: Int64, to record: BulkRecord) {
        transaction.ledger.changeBulk(number) { $0.record = record }
    }

    func remove(before time: Timestamp, limit: Int) -> Int {
        transaction.ledger.removeBulks(before: time, limit: limit)
    }
}
