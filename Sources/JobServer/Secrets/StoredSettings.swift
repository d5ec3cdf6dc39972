import JobKit
import JobStore

/// What operators stored for all jobs.
struct StoredSettings: Sendable {
    /// What takes secrets out of everything that is captured.
    let scrubber: SecretScrubber
    /// Values that requests name.
    let secrets: StoredSecrets
    /// Named places that calls go to.
    let connections: StoredConnections

    /// The settings in `store`.
    /// - Throws: what a person must change, such as a key that does not fit the secrets.
    init(_ config: ServerConfig, store: any SettingStore & StoreReading) throws(CommandFailure) {
        let hasSecrets: Bool
        do throws(JobStoreError) {
            hasSecrets = !(try store.makeReader().settings(.secret)).isEmpty
            connections = try StoredConnections(store: store, openable: config.egressConnections)
        } catch {
            throw CommandFailure(code: .data, text: error.detail)
        }
        let key = try SecretKeyFile(config).key(hasSecrets: hasSecrets)
        scrubber = SecretScrubber()
        secrets = try StoredSecrets(store: store, key: key, scrubber: scrubber)
    }
}
