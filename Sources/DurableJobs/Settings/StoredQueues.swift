package import JobSpec
package import JobStore
import StrictJSON

/// The configurations of queues, as people see them. The store enforces them.
package final class StoredQueues: Sendable {
    /// The settings, by name.
    package let settings: SettingScope<QueueSpec>

    package init(_ store: any StoreReading, _ reader: any JobReader) throws(JobStoreError) {
        settings = SettingScope(try SettingCache(.queue, in: store, reader) { QueueSpec($0) })
    }

    private init(_ settings: SettingScope<QueueSpec>) { self.settings = settings }

    /// The queues of a tenant, by the names that it knows; nil is this.
    package func scoped(to tenant: Tenant?) -> StoredQueues {
        tenant.map { StoredQueues(settings.scoped(to: $0)) } ?? self
    }

    package func record(_ name: String) -> SettingRecord? { settings[name]?.record }

    /// Whether any queue has defaults for its jobs.
    package var haveDefaults: Bool { settings.has { !$0.defaults.isEmpty } }

    /// The queues whose configuration cannot be read: none of their jobs begins.
    package var unreadable: [String] {
        settings.all.map(\.record).filter { QueueSpec.read($0) == nil }.map(\.name)
    }

    package func spec(_ name: String) -> QueueSpec? { settings[name]?.value }
}
