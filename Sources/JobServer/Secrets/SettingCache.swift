import JobStore
import Synchronization

// DESIGN
// Calls ask for settings on their way, so they are held in memory, opened. The store counts the changes of settings,
// and whoever finds that the count has risen reads them again: a change counts when its reply comes, whoever made it.

/// The settings of one kind with what they mean.
final class SettingCache<Value: Sendable>: Sendable {
    /// A setting as it is stored, and what it means.
    struct Entry: Sendable {
        /// The stored record.
        let record: SettingRecord
        /// What it means.
        let value: Value
    }

    private struct Known {
        var version: Int64
        var entries: [String: Entry]
    }

    private let kind: SettingKind
    private let store: any SettingStore & StoreReading
    private let open: @Sendable (SettingRecord) -> Value?
    private let known: Mutex<Known>

    /// The settings of this kind in `store`.
    /// - Parameter open: what a setting means; nil leaves it out.
    init(
        _ kind: SettingKind, in store: any SettingStore & StoreReading,
        open: @escaping @Sendable (SettingRecord) -> Value?
    ) throws(JobStoreError) {
        self.kind = kind
        self.store = store
        self.open = open
        let version = store.settingsVersion
        known = Mutex(Known(version: version, entries: try Self.read(kind, store, open)))
    }

    /// The setting with this name.
    subscript(name: String) -> Entry? { entries[name] }

    /// All of them, by name.
    var all: [Entry] { entries.values.sorted { $0.record.name < $1.record.name } }

    /// Stores a setting; the reply comes when it is on disk and counts.
    func put(_ draft: SettingDraft, reply: @escaping @Sendable (Result<SettingRecord, JobStoreError>) -> Void)
    {
        store.put(draft, reply: reply)
    }

    /// Removes a setting; the reply comes when that is on disk.
    func remove(_ name: String, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void) {
        store.removeSetting(kind, name, reply: reply)
    }

    /// What is known, read again when it is old. A store that cannot be read at the moment leaves it as it is.
    private var entries: [String: Entry] {
        let version = store.settingsVersion
        if let entries = known.withLock({ $0.version == version ? $0.entries : nil }) { return entries }
        guard let entries = try? Self.read(kind, store, open) else { return known.withLock { $0.entries } }
        known.withLock { known in
            if known.version < version { known = Known(version: version, entries: entries) }
        }
        return entries
    }

    private static func read(
        _ kind: SettingKind, _ store: any StoreReading, _ open: (SettingRecord) -> Value?
    ) throws(JobStoreError) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        for record in try store.makeReader().settings(kind) {
            guard let value = open(record) else { continue }
            entries[record.name] = Entry(record: record, value: value)
        }
        return entries
    }
}
