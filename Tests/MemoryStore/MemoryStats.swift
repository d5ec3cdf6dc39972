import JobKit
import JobStore

/// The statistics of a ledger in a transaction.
struct MemoryStats: StatsRows {
    let transaction: MemoryTransaction

    func take(until time: Timestamp, limit: Int) -> (ends: [EndFacts], isMore: Bool) {
        var places = CountedPlaces()
        let ends = Array(transaction.ledger.endings.prefix(limit).prefix { places.take($0) })
        transaction.ledger.endings.removeFirst(ends.count)
        // As other engines store them.
        return (EndFacts.decoded(EndFacts.encoded(ends)), !transaction.ledger.endings.isEmpty)
    }

    func bins(_ keys: [StatsKey]) -> [StatsKey: StoredBin] {
        let wanted = Set(keys)
        return transaction.ledger.stats.filter { wanted.contains($0.key) }
    }

    func over(at now: Timestamp, limit: Int) -> [StatsKey: StoredBin] {
        let over = transaction.ledger.stats.filter { $0.value.isOpen && $0.key.isOver(at: now) }
        return Dictionary(
            uniqueKeysWithValues: over.sorted { $0.key < $1.key }.prefix(limit).map { ($0.key, $0.value) })
    }

    func put(_ bins: [StatsKey: StoredBin]) { transaction.ledger.stats.merge(bins) { $1 } }

    func remove(before time: Timestamp, limit: Int) -> Int {
        let old = transaction.ledger.stats.keys.filter { $0.at < $0.step.oldest(at: time) }.prefix(limit)
        for key in old { transaction.ledger.stats[key] = nil }
        return old.count
    }
}
