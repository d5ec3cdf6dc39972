package import JobKit
package import JobStore
import Synchronization

/// Removes the records of changes by people when they are old.
package final class AuditCare: Sendable {
    package static let keep = Duration.seconds(90 * 86_400)
    private static let every = Duration.seconds(10)

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
        let old = now.advanced(by: .zero - Self.keep)
        if isTime { store.perform(AuditSweep(before: old, limit: 2_000)) { _ in } }
    }
}
