import JobKit

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
