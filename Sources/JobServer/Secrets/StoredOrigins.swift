import JobKit
import JobSpec
import JobStore
import StrictJSON

/// The limits of hosts. The board of origins enforces them.
final class StoredOrigins: Sendable {
    private let cache: SettingCache<FlowLimits>

    init(store: any SettingStore & StoreReading) throws(JobStoreError) {
        cache = try SettingCache(.origin, in: store) { record in
            (try? JSONParser.parse(record.body)).flatMap { try? LimitReader.read($0, of: "An origin").get() }
        }
    }

    /// All limits, by `host` or `host:port`.
    var limits: [String: FlowLimits] {
        Dictionary(cache.all.map { ($0.record.name, $0.value) }) { first, _ in first }
    }

    func record(_ host: String) -> SettingRecord? { cache[host]?.record }

    /// Stores valid limits; the reply comes when they are durable.
    /// - Parameter version: the version that they replace, 0 for none; nil replaces any.
    func put(
        _ value: JSONValue, host: String, ifVersion version: Int64?, by caller: String, at now: Timestamp,
        reply: @escaping @Sendable (Result<SettingRecord, JobStoreError>) -> Void
    ) {
        let body = CanonicalJSON.encode(value)
        var draft = SettingDraft(kind: .origin, name: host, updatedAt: now, updatedBy: caller) { _ in body }
        draft.ifVersion = version
        cache.put(draft, reply: reply)
    }

    /// Removes limits; the reply comes when that is durable.
    func remove(_ host: String, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void) {
        cache.remove(host, reply: reply)
    }
}
