package import JobKit
package import JobSpec

/// The secrets and connections of the jobs of a tenant, or of those without one.
package struct CallBooks: Sendable {
    /// Nil has no secrets.
    package var secrets: (any SecretVault)?
    /// Nil has no connections.
    package var connections: (any ConnectionBook)?
    /// Removes the secrets from everything that the jobs capture.
    package var scrubber = SecretScrubber()

    package init() {}

    package init(secrets: any SecretVault, connections: any ConnectionBook, scrubber: SecretScrubber) {
        self.secrets = secrets
        self.connections = connections
        self.scrubber = scrubber
    }
}
