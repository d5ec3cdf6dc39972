import JobSpec
import JobStore
import StrictJSON

/// The configurations of queues, as people see them. The store enforces them.
final class StoredQueues: Sendable {
    /// The settings, by name.
    let cache: SettingCache<QueueSpec>

    init(store: any SettingStore & StoreReading) throws(JobStoreError) {
        cache = try SettingCache(.queue, in: store) { QueueSpec($0) }
    }

    func record(_ name: String) -> SettingRecord? { cache[name]?.record }

    /// Whether any queue has defaults for its jobs.
    var haveDefaults: Bool { cache.has { !$0.defaults.isEmpty } }

    func spec(_ name: String) -> QueueSpec? { cache[name]?.value }
}
