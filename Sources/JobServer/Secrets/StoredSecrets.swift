import JobKit
import JobStore
import Synchronization

// DESIGN
// All secrets are opened once, at the start, and held in memory: calls ask for them on their way, and the scrubber
// must know every one of them. A change is stored first; the reply of the store, which comes in the order of the
// commits, changes the memory.

/// The secrets of the server.
final class StoredSecrets: SecretVault {
    /// A secret as people may see it, and its value.
    struct Entry: Sendable {
        /// The stored record.
        var record: SettingRecord
        /// The value.
        var value: SecretValue
    }

    private let store: any SettingStore
    private let key: SecretKey
    private let scrubber: SecretScrubber
    private let entries: Mutex<[String: Entry]>

    /// The secrets in `store`.
    /// - Throws: `.configuration` when one of them cannot be opened with `key`.
    init(store: any SettingStore & StoreReading, key: SecretKey, scrubber: SecretScrubber)
        throws(CommandFailure)
    {
        let records: [SettingRecord]
        do throws(JobStoreError) { records = try store.makeReader().settings(.secret) } catch {
            throw CommandFailure(code: .data, text: error.detail)
        }
        var known: [String: Entry] = [:]
        for record in records {
            guard let value = key.open(record.body, name: record.name, version: record.version) else {
                throw CommandFailure(
                    code: .configuration,
                    text: """
                        The secret "\(record.name)" cannot be opened with the secret key: it was stored under another one.
                        Start the server with the key file that belongs to this data directory (--secret-key-file).
                        """)
            }
            known[record.name] = Entry(record: record, value: value)
            scrubber.know(value.bytes)
        }
        self.store = store
        self.key = key
        self.scrubber = scrubber
        entries = Mutex(known)
    }

    func secret(named name: String) -> [UInt8]? { entries.withLock { $0[name]?.value.bytes } }

    /// All of them, by name.
    var all: [Entry] { entries.withLock { $0.values.sorted { $0.record.name < $1.record.name } } }

    /// One of them.
    func entry(_ name: String) -> Entry? { entries.withLock { $0[name] } }

    /// A word that is the same as long as the value is, and tells nothing about it.
    func fingerprint(of entry: Entry) -> String {
        key.fingerprint(of: entry.value, name: entry.record.name)
    }

    /// Stores a value; the reply comes when it is on disk and counts.
    func put(
        _ value: SecretValue, name: String, by caller: String, at now: Timestamp,
        reply: @escaping @Sendable (Result<Entry, JobStoreError>) -> Void
    ) {
        // Known before it counts, so that nothing with it gets past the scrubber.
        scrubber.know(value.bytes)
        let key = key
        let draft = SettingDraft(kind: .secret, name: name, updatedAt: now, updatedBy: caller) { version in
            key.seal(value, name: name, version: version)
        }
        store.put(draft) { [self] result in
            let entry = result.map { Entry(record: $0, value: value) }
            if case .success(let entry) = entry { entries.withLock { $0[name] = entry } }
            reply(entry)
        }
    }

    /// Removes a secret; the reply comes when that is on disk.
    func remove(_ name: String, reply: @escaping @Sendable (Result<Void, JobStoreError>) -> Void) {
        store.removeSetting(.secret, name) { [self] result in
            if case .success = result { entries.withLock { $0[name] = nil } }
            reply(result)
        }
    }
}
