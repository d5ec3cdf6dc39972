import EventIO
import HTTPMessage

/// What all engines of one client share.
struct CurlSettings: Sendable {
    /// Where the work happens.
    let loop: EventLoop
    let limits: CurlLimits
    /// The `User-Agent` of calls that bring none.
    let userAgent: String
    /// A PEM file of authorities to trust instead of the system's.
    let authoritiesFile: String?
    /// Whether an address and port may be reached.
    let allows: @Sendable (IPAddress, Int) -> Bool
}
