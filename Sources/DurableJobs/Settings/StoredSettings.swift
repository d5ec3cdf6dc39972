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
        let hasSecrets: Bool
        do throws(JobStoreError) {
            hasSecrets = !(try store.makeReader().settings(.secret)).isEmpty
            connections = try StoredConnections(store: store, openable: openable)
            queues = try StoredQueues(store: store)
            origins = try StoredOrigins(store: store)
            hooks = SettingScope(
                try SettingCache(.hook, in: store) { record in
                    let name = Tenant(ofStored: record.name)?.shown(record.name) ?? record.name
                    return .some(HookReader.readStored(record.body, name: name))
                })
        } catch {
            throw EngineSetupError(.data, error.detail)
        }
        let key = try keyFile.key(hasSecrets: hasSecrets)
        scrubbers = TenantScrubbers()
        secrets = try StoredSecrets(store: store, key: key, scrubbers: scrubbers)
    }
}
