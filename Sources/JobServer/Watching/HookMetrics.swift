import JobStore
import Synchronization

/// Counters of deliveries to hooks.
final class HookMetrics: Sendable {
    private let counts = Mutex<[DeliveryRecord.Outcome: Int]>([:])

    func count(_ outcome: DeliveryRecord.Outcome) { counts.withLock { $0[outcome, default: 0] += 1 } }

    /// The number of deliveries with an outcome since the start.
    func total(_ outcome: DeliveryRecord.Outcome) -> Int { counts.withLock { $0[outcome] ?? 0 } }
}
