package import HTTPMessage
import JobKit
package import JobSpec
package import JobStore

/// Secrets, connections, hooks, and limits of queues and hosts.
package struct StoredSettings: Sendable {
    /// Remove secrets from everything that is captured.
    package let scrubbers: TenantScrubbers
    package let secrets: StoredSecrets
    package let connections: StoredConnections
    package let queues: StoredQueues
    package let origins: StoredOrigins
    /// In memory, since a request that is not verified reads nothing. The value of a hook that this version cannot read
    /// is nil.
    package let hooks: SettingScope<HookSpec?>

    /// Reads the settings in `store`.
    /// - Parameters:
    ///   - keyFile: the file with the key of the secrets.
    ///   - openable: the address ranges that connections may open.
    /// - Throws: what to change, such as a key that does not fit the secrets.
    package init(
        of store: any StoreReading, keyFile: SecretKeyFile, openable: [CIDR] = []
    ) throws(EngineSetupError) {
        let reader: any JobReader
        let hasSecrets: Bool
        do throws(JobStoreError) {
            reader = try store.makeReader()
            hasSecrets = !(try reader.settings(.secret)).isEmpty
            connections = try StoredConnections(store, reader, openable: openable)
            queues = try StoredQueues(store, reader)
            origins = try StoredOrigins(store, reader)
            hooks = SettingScope(
                try SettingCache(.hook, in: store, reader) { record in
                    let name = Tenant(ofStored: record.name)?.shown(record.name) ?? record.name
                    return .some(HookReader.readStored(record.body, name: name))
                })
        } catch {
            throw EngineSetupError(.data, error.detail)
        }
        let key = try keyFile.key(hasSecrets: hasSecrets)
        scrubbers = TenantScrubbers()
        secrets = try StoredSecrets(store, reader, key: key, scrubbers: scrubbers)
    }
}
