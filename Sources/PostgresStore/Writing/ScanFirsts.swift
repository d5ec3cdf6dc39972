import JobKit

/// What the indexes are ordered by that find work.
enum ScanOrder: Int, CaseIterable {
    /// Since when jobs are runnable.
    case ready
    /// When suspended jobs fall due.
    case due
    /// When jobs lapse that have not started.
    case expiry
    /// When ended jobs are erased.
    case purge
    /// When idempotency keys are forgotten.
    case keyExpiry
}

/// The first value of each order, as far as there is one.
struct ScanFirsts: Sendable {
    private var times = [Timestamp?](repeating: nil, count: ScanOrder.allCases.count)

    subscript(order: ScanOrder) -> Timestamp? {
        get { times[order.rawValue] }
        set { times[order.rawValue] = newValue }
    }

    /// Adds values of which the earlier ones count.
    mutating func merge(_ other: ScanFirsts) {
        for order in ScanOrder.allCases {
            if let time = other[order] { self[order] = min(self[order] ?? time, time) }
        }
    }
}
