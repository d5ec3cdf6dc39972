import HTTPMessage

/// A sender of requests, as the unit of fair sharing.
enum Client: Hashable, Sendable {
    case token(String)
    case address(IPAddress)
}
