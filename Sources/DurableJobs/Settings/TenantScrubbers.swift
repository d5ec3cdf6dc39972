package import JobKit
package import JobStore
import Synchronization

/// The scrubbers of the jobs of each tenant, which know its own secrets alone: those of others would alter the captures
/// of its jobs, and could be guessed by that.
package final class TenantScrubbers: Sendable {
    /// Knows all secrets, for logs and traces.
    package let all = SecretScrubber()
    private let known = Mutex<[Tenant?: SecretScrubber]>([:])

    /// - Parameter tenant: nil are the jobs without one.
    package subscript(tenant: Tenant?) -> SecretScrubber {
        known.withLock { known in
            if let scrubber = known[tenant] { return scrubber }
            let scrubber = SecretScrubber(partOf: all)
            known[tenant] = scrubber
            return scrubber
        }
    }
}
