package import JobKit
import JobSpec
package import JobStore
import Synchronization

/// Removes rows that are past their time: old records of changes by people, expired uploads, and
/// deliveries.
package final class RowCare: Sendable {
    package static let keepAudits = Duration.seconds(90 * 86_400)
    private static let every = Duration.seconds(10)
    private static let rowsMax = 2_000

    private let store: any JobStore
    private let nextAt = Mutex(Timestamp(milliseconds: 0))

    package init(of store: any JobStore) { self.store = store }

    /// Removes some of them, from time to time.
    package func maintain(at now: Timestamp) {
        let isTime = nextAt.withLock { next -> Bool in
            guard next <= now else { return false }
            next = now.advanced(by: Self.every)
            return true
        }
        guard isTime else { return }
        let old = now.advanced(by: .zero - Self.keepAudits)
        store.perform(RowSweep(.audits, before: old, limit: Self.rowsMax)) { _ in }
        store.perform(RowSweep(.uploads, before: now, limit: Self.rowsMax)) { _ in }
        let past = now.advanced(by: .zero - HookSpec.keep)
        store.perform(RowSweep(.deliveries, before: past, limit: Self.rowsMax)) { _ in }
    }
}
