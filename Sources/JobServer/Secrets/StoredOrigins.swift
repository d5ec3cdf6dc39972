import JobKit
import JobSpec
import JobStore
import StrictJSON

/// The limits of hosts. The board of origins enforces them.
final class StoredOrigins: Sendable {
    /// The settings, by `host` or `host:port`.
    let cache: SettingCache<FlowLimits>

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
}
