import Commands
import JobKit
import JobStore

/// Secrets, connections, and limits of queues and hosts, which apply to all jobs.
struct StoredSettings: Sendable {
    /// Remove secrets from everything that is captured.
    let scrubbers: TenantScrubbers
    let secrets: StoredSecrets
    let connections: StoredConnections
    let queues: StoredQueues
    let origins: StoredOrigins

    /// Reads the settings in `store`.
    /// - Throws: a configuration error with what to change, such as a key that does not fit the secrets.
    init(_ config: ServerConfig, store: any SettingStore & StoreReading) throws(CommandFailure) {
        let hasSecrets: Bool
        do throws(JobStoreError) {
            hasSecrets = !(try store.makeReader().settings(.secret)).isEmpty
            connections = try StoredConnections(store: store, openable: config.egressConnections)
            queues = try StoredQueues(store: store)
            origins = try StoredOrigins(store: store)
        } catch {
            throw CommandFailure(code: .data, text: error.detail)
        }
        let key = try SecretKeyFile(config).key(hasSecrets: hasSecrets)
        scrubbers = TenantScrubbers()
        secrets = try StoredSecrets(store: store, key: key, scrubbers: scrubbers)
    }
}
