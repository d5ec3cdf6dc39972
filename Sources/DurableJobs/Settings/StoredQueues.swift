package import JobSpec
package import JobStore
import StrictJSON

/// The configurations of queues, as people see them. The store enforces them.
package final class StoredQueues: Sendable {
    /// The settings, by name.
    package let cache: SettingScope<QueueSpec>

    package init(store: any SettingStore & StoreReading) throws(JobStoreError) {
        cache = SettingScope(try SettingCache(.queue, in: store) { QueueSpec($0) })
    }

    private init(_ cache: SettingScope<QueueSpec>) { self.cache = cache }

    /// The queues of a tenant, by the names that it knows; nil is this.
    package func scoped(to tenant: Tenant?) -> StoredQueues {
        tenant.map { StoredQueues(cache.scoped(to: $0)) } ?? self
    }

    package func record(_ name: String) -> SettingRecord? { cache[name]?.record }

    /// Whether any queue has defaults for its jobs.
    package var haveDefaults: Bool { cache.has { !$0.defaults.isEmpty } }

    /// The queues whose configuration cannot be read: none of their jobs begins.
    package var unreadable: [String] {
        cache.all.map(\.record).filter { QueueSpec.read($0) == nil }.map(\.name)
    }

    package func spec(_ name: String) -> QueueSpec? { cache[name]?.value }
}
