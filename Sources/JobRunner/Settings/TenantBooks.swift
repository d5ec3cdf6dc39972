package import JobKit
package import JobSpec

/// The secrets and connections of the jobs of a tenant.
package struct TenantBooks: Sendable {
    package var secrets: any SecretVault
    package var connections: any ConnectionBook
    /// Removes the secrets from everything that its jobs capture.
    package var scrubber: SecretScrubber

    package init(secrets: any SecretVault, connections: any ConnectionBook, scrubber: SecretScrubber) {
        self.secrets = secrets
        self.connections = connections
        self.scrubber = scrubber
    }
}
