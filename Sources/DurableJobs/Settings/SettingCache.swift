import JobKit
package import JobStore
import StrictJSON
import Synchronization

// DESIGN
// Calls look up settings on the hot path, so they are held in memory, decrypted. The store counts the changes of
// settings, and a reader that finds a higher count reads them again: a change takes effect when its reply comes,
// whichever server process made it.

/// Caches the settings of one kind with their decoded values.
package final class SettingCache<Value: Sendable>: Sendable {
    /// A stored setting with its decoded value. A class, so that passing it on copies one reference.
    package final class Entry: Sendable {
        package let record: SettingRecord
        package let value: Value

        package init(record: SettingRecord, value: Value) {
            self.record = record
            self.value = value
        }
    }

    private struct Known {
        var version: Int64
        var entries: [String: Entry]
    }

    private let kind: SettingKind
    private let store: any StoreReading
    private let open: @Sendable (SettingRecord) -> Value?
    /// The reader of a shared store, where a new one is a connection.
    private let reader: (any JobReader)?
    private let known: Mutex<Known>

    /// Caches the settings of this kind in `store`.
    /// - Parameters:
    ///   - reader: reads them now and, in a shared store, whenever they change.
    ///   - open: decodes a setting; nil omits it.
    package init(
        _ kind: SettingKind, in store: any StoreReading, _ reader: any JobReader,
        open: @escaping @Sendable (SettingRecord) -> Value?
    ) throws(JobStoreError) {
        self.kind = kind
        self.store = store
        self.open = open
        self.reader = store.isShared ? reader : nil
        let version = store.settingsVersion
        known = Mutex(Known(version: version, entries: try Self.read(kind, reader, open)))
    }

    package subscript(name: String) -> Entry? { entries[name] }

    /// All settings, by name.
    package var all: [Entry] { entries.values.sorted { $0.record.name < $1.record.name } }

    /// Whether any value satisfies `predicate`.
    package func has(_ predicate: (Value) -> Bool) -> Bool {
        entries.contains { predicate($0.value.value) }
    }

    /// The cached settings, read again when they are out of date. A read failure keeps the old ones.
    private var entries: [String: Entry] {
        let version = store.settingsVersion
        if let entries = known.withLock({ $0.version == version ? $0.entries : nil }) { return entries }
        guard let entries = try? readAgain() else { return known.withLock { $0.entries } }
        known.withLock { known in
            if known.version < version { known = Known(version: version, entries: entries) }
        }
        return entries
    }

    private func readAgain() throws(JobStoreError) -> [String: Entry] {
        let reader = if let reader { reader } else { try store.makeReader() }
        return try Self.read(kind, reader, open)
    }

    private static func read(
        _ kind: SettingKind, _ reader: any JobReader, _ open: (SettingRecord) -> Value?
    ) throws(JobStoreError) -> [String: Entry] {
        var entries: [String: Entry] = [:]
        for record in try reader.settings(kind) {
            guard let value = open(record) else { continue }
            entries[record.name] = Entry(record: record, value: value)
        }
        return entries
    }
}
