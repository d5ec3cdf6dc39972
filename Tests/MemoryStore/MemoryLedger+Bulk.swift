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
