package import JobKit
import JobSpec
package import JobStore
import StrictJSON
import Synchronization

/// The limits of hosts. The board of origins enforces them.
package final class StoredOrigins: Sendable {
    /// The settings, by `host` or `host:port`.
    package let settings: SettingScope<FlowLimits>
    private let store: any StoreReading
    /// The version of the settings at the last look.
    private let seen = Atomic<Int64>(-1)

    package init(_ store: any StoreReading, _ reader: any JobReader) throws(JobStoreError) {
        self.store = store
        settings = SettingScope(
            try SettingCache(.origin, in: store, reader) { Self.read($0) ?? Self.careful })
    }

    /// The limits of a host that has some which this program cannot read.
    private static let careful = FlowLimits(concurrency: 1)

    /// Nil when this program cannot read them.
    private static func read(_ setting: SettingRecord) -> FlowLimits? {
        (try? JSONParser.parse(setting.body)).flatMap { try? LimitReader.read($0, of: "A host").get() }
    }

    /// The hosts whose limits cannot be read: they take one call at a time.
    package var unreadable: [String] {
        settings.all.map(\.record).filter { Self.read($0) == nil }.map(\.name)
    }

    /// All limits, by `host` or `host:port`.
    package var limits: [String: FlowLimits] {
        Dictionary(settings.all.map { ($0.record.name, $0.value) }) { first, _ in first }
    }

    /// All limits when settings have changed since the last call, on this server or another; otherwise nil.
    package var changedLimits: [String: FlowLimits]? {
        let version = store.settingsVersion
        return seen.exchange(version, ordering: .relaxed) == version ? nil : limits
    }

    package func record(_ host: String) -> SettingRecord? { settings[host]?.record }
}
