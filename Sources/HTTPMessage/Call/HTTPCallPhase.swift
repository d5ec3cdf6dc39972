/// The phase of a call in which it failed.
public enum HTTPCallPhase: String, Sendable, Hashable, CaseIterable {
    /// Waiting in line for a connection.
    case line
    /// The resolution of the host.
    case dns
    /// Opening the connection.
    case connect
    /// The TLS handshake.
    case tls
    /// Sending the request.
    case send
    /// Waiting for the head of the answer.
    case wait
    /// Receiving the body of the answer.
    case receive
}
