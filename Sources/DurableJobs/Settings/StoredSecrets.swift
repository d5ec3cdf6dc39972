package import JobKit
package import JobStore

// DESIGN
// All secrets are decrypted when they are read from the store, and held in memory: calls look them up on the hot path,
// and the scrubber of its tenant must know each secret before it is used.

/// The secrets of the server. A change is stored before it takes effect.
package final class StoredSecrets: SecretVault {
    private let key: SecretKey
    private let scrubbers: TenantScrubbers
    package let settings: SettingScope<SecretValue>

    /// Reads the secrets in `store`.
    /// - Throws: `.configuration` when one of them cannot be decrypted with `key`.
    package init(
        _ store: any StoreReading, _ reader: any JobReader, key: SecretKey, scrubbers: TenantScrubbers
    ) throws(EngineSetupError) {
        let records: [SettingRecord]
        do throws(JobStoreError) {
            settings = SettingScope(
                try SettingCache(.secret, in: store, reader) { record in
                    let value = key.open(record.body, name: record.name, version: record.version)
                    if let value { scrubbers[Tenant(ofStored: record.name)].know(value.bytes) }
                    return value
                })
            records = try reader.settings(.secret)
        } catch {
            throw EngineSetupError(.data, error.detail)
        }
        self.key = key
        self.scrubbers = scrubbers
        if let closed = records.first(where: { settings[$0.name] == nil }) {
            throw EngineSetupError(
                .configuration,
                """
                The secret "\(closed.name)" cannot be opened with the secret key: it was stored under another one.
                Start the server with the key file that belongs to the store (--secret-key-file): all servers of one
                PostgreSQL need the same one. If that key is lost: \(SecretKeyFile.wayOn)
                """)
        }
    }

    private init(_ other: StoredSecrets, of tenant: Tenant) {
        key = other.key
        scrubbers = other.scrubbers
        settings = other.settings.scoped(to: tenant)
    }

    /// The secrets of a tenant, by the names that it knows; nil is this.
    package func scoped(to tenant: Tenant?) -> StoredSecrets {
        tenant.map { StoredSecrets(self, of: $0) } ?? self
    }

    /// Identifies the secret key and reveals nothing about it.
    package var keyMark: String { key.mark }

    /// The token of the callback URL of a wait.
    package func callbackToken(of job: JobID, _ place: CallbackPlace) -> CallbackToken {
        key.callbackToken(of: job, place)
    }

    /// Whether a server of this store has made a token.
    package func hasMade(_ token: CallbackToken) -> Bool { key.hasMade(token) }

    package func secret(named name: String) -> [UInt8]? { settings[name]?.value.bytes }

    /// A digest that identifies a value and reveals nothing about it.
    package func fingerprint(of entry: SettingScope<SecretValue>.Entry) -> String {
        key.fingerprint(of: entry.value, name: settings.stored(entry.record.name))
    }

    /// A value to be stored, sealed. The scrubber knows it from now on, before a call can use it.
    package func draft(
        _ value: SecretValue, name: String, by caller: String, at now: Timestamp
    ) -> SettingDraft {
        let (key, stored) = (key, settings.stored(name))
        scrubbers[Tenant(ofStored: stored)].know(value.bytes)
        let bytes = value.bytes.count
        var draft = SettingDraft(kind: .secret, name: name, updatedAt: now, updatedBy: caller, bytes: bytes) {
            key.seal(value, name: stored, version: ($0?.version ?? 0) + 1)
        }
        draft.isSame = { key.open($0.body, name: stored, version: $0.version) == value }
        return draft
    }
}
