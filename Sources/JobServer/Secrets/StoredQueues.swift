import JobKit
import JobSpec
import JobStore
import StrictJSON

/// The configurations of queues. The store enforces them; this is what people see of them.
final class StoredQueues: Sendable {
    private let cache: SettingCache<QueueSpec>

    init(store: any SettingStore & StoreReading) throws(JobStoreError) {
        cache = try SettingCache(.queue, in: store) { QueueSpec($0) }
    }

    /// All configurations, by name.
    var all: [SettingRecord] { cache.all.map(\.record) }

    func record(_ name: String) -> SettingRecord? { cache[name]?.record }

    /// Whether any queue has defaults for its jobs.
    var haveDefaults: Bool { cache.has { !$0.defaults.isEmpty } }

    func spec(_ name: String) -> QueueSpec? { cache[name]?.value }

    /// Stores a valid configuration; the reply comes when it is durable and in effect.
    /// - Parameter version: the version that it replaces, 0 for none; nil replaces any.
    func put(
        _ value: JSONValue, name: String, ifVersion version: Int64?, by caller: String, at now: Timestamp,
        reply: @escaping @Sendable (Result<SettingRecord, JobStoreError>) -> Void
    ) {
        let body = CanonicalJSON.encode(value)
        var draft = SettingDraft(kind: .queue, name: name, updatedAt: now, updatedBy: caller) { _ in body }
        draft.ifVersion = version
        cache.put(draft, reply: reply)
    }

    /// Removes a configuration; the reply comes when that is durable.
    func remove(_ name: String, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void) {
        cache.remove(name, reply: reply)
    }
}
