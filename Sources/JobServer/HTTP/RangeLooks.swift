import Synchronization

/// Counts the ranges of backfills that are looked through.
final class RangeLooks: Sendable {
    /// The maximum number of ranges that are looked through at once.
    static let countMax = 4

    private let count = Atomic(0)

    /// Whether one more may begin.
    func begin() -> Bool {
        if count.add(1, ordering: .relaxed).newValue <= Self.countMax { return true }
        end()
        return false
    }

    func end() { count.subtract(1, ordering: .relaxed) }
}
