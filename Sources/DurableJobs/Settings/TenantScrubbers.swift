package import JobKit
package import JobStore
import Synchronization

/// The scrubbers of the jobs of each tenant, which know its own secrets alone: those of others would alter the captures
/// of its jobs, and could be guessed by that.
package final class TenantScrubbers: Sendable {
    /// Knows all secrets, for logs and traces.
    package let all = SecretScrubber()
    private struct Known {
        var scrubbers: [Tenant?: SecretScrubber] = [:]
        var callbacks = false
    }

    private let known = Mutex(Known())

    package init() {}

    /// Redacts callback URLs, for all tenants from now on: also those that other servers of the store handed out, or
    /// this one before it was restarted.
    package func knowCallbacks() {
        all.knowCallbacks()
        known.withLock { known in
            known.callbacks = true
            for scrubber in known.scrubbers.values { scrubber.knowCallbacks() }
        }
    }

    /// - Parameter tenant: nil are the jobs without one.
    package subscript(tenant: Tenant?) -> SecretScrubber {
        known.withLock { known in
            if let scrubber = known.scrubbers[tenant] { return scrubber }
            let scrubber = SecretScrubber(partOf: all)
            if known.callbacks { scrubber.knowCallbacks() }
            known.scrubbers[tenant] = scrubber
            return scrubber
        }
    }
}
