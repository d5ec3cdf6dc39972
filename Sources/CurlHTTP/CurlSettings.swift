import EventIO
import HTTPMessage

/// The settings that all engines of one client share.
struct CurlSettings: Sendable {
    let loop: EventLoop
    let limits: CurlLimits
    /// The `User-Agent` of calls without one.
    let userAgent: String
    /// A PEM file of authorities to trust instead of the system's.
    let authoritiesFile: String?
    /// Whether an address and port may be reached.
    let allows: @Sendable (IPAddress, Int) -> Bool
    /// The words about an address that may not.
    let egressWords: EgressWords
    /// Pauses long responses.
    let backpressure: (any Backpressure)?
}
