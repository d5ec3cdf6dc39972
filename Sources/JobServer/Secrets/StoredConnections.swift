import HTTPMessage
import JobKit
import JobStore
import StrictJSON
import Synchronization

/// The connections of the server, read once and held in memory, since calls ask for them on their way. A change is
/// stored first.
final class StoredConnections: ConnectionBook {
    /// A connection as it is stored, and what it means.
    struct Entry: Sendable {
        /// The stored record.
        var record: SettingRecord
        /// What it means; nil for one that this version of the server cannot read.
        var spec: ConnectionSpec?
    }

    private let store: any SettingStore
    /// The ranges that connections may open.
    let openable: [CIDR]
    private let entries: Mutex<[String: Entry]>

    /// The connections in `store`. What they open beyond `openable` is left out.
    init(store: any SettingStore & StoreReading, openable: [CIDR]) throws(JobStoreError) {
        var known: [String: Entry] = [:]
        for record in try store.makeReader().settings(.connection) {
            known[record.name] = Entry(record: record, spec: Self.spec(record.body, openable))
        }
        self.store = store
        self.openable = openable
        entries = Mutex(known)
    }

    func connection(named name: String) -> ConnectionSpec? { entries.withLock { $0[name]?.spec } }

    /// All of them, by name.
    var all: [SettingRecord] {
        entries.withLock { $0.values.map(\.record).sorted { $0.name < $1.name } }
    }

    /// One of them.
    func record(_ name: String) -> SettingRecord? { entries.withLock { $0[name]?.record } }

    /// Stores a connection; the reply comes when it is on disk and counts.
    func put(
        _ value: JSONValue, _ spec: ConnectionSpec, name: String, by caller: String, at now: Timestamp,
        reply: @escaping @Sendable (Result<SettingRecord, JobStoreError>) -> Void
    ) {
        let body = CanonicalJSON.encode(value)
        let draft = SettingDraft(kind: .connection, name: name, updatedAt: now, updatedBy: caller) { _ in body
        }
        store.put(draft) { [self] result in
            if case .success(let record) = result {
                entries.withLock { $0[name] = Entry(record: record, spec: spec) }
            }
            reply(result)
        }
    }

    /// Removes a connection; the reply comes when that is on disk.
    func remove(_ name: String, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void) {
        store.removeSetting(.connection, name) { [self] result in
            if case .success = result { entries.withLock { $0[name] = nil } }
            reply(result)
        }
    }

    private static func spec(_ body: [UInt8], _ openable: [CIDR]) -> ConnectionSpec? {
        guard let value = try? JSONParser.parse(body) else { return nil }
        return try? ConnectionReader.read(value, egress: nil, openable: openable).get()
    }
}
