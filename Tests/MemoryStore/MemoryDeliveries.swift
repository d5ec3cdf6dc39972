import JobKit
import JobStore

/// The deliveries of a ledger in a transaction.
struct MemoryDeliveries: DeliveryRows {
    typealias Failure = Never

    let transaction: MemoryTransaction

    func first(of keys: [[UInt8]]) -> DeliveryRecord? {
        let known = keys.lazy.compactMap { transaction.ledger.deliveryKeys[$0] }.first
        return known.flatMap { transaction.ledger.deliveries[$0] }
    }

    func insert(_ delivery: DeliveryRecord) {
        transaction.ledger.deliveries[delivery.id] = delivery
        for key in delivery.keys { transaction.ledger.deliveryKeys[key] = delivery.id }
    }

    func remove(before time: Timestamp, limit: Int) -> Int {
        let old = transaction.ledger.deliveries.values.filter { $0.receivedAt < time }.map(\.id).sorted()
            .prefix(limit)
        for id in old { transaction.ledger.deliveries[id] = nil }
        return old.count
    }
}
