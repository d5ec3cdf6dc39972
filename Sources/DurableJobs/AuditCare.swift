package import JobKit
package import JobStore
import Synchronization

/// Removes the records of changes by people when they are old.
package final class AuditCare: Sendable {
    package static let keep = Duration.seconds(90 * 86_400)
    private static let every = Duration.seconds(10)

    private let store: any AuditStore
    private let nextAt = Mutex(Timestamp(milliseconds: 0))

    package init(of store: any AuditStore) { self.store = store }

    /// Removes some of them, from time to time.
    package func maintain(at now: Timestamp) {
        let isTime = nextAt.withLock { next -> Bool in
            guard next <= now else { return false }
            next = now.advanced(by: Self.every)
            return true
        }
        if isTime { store.removeAudits(before: now.advanced(by: .zero - Self.keep), limit: 2_000) { _ in } }
    }
}
