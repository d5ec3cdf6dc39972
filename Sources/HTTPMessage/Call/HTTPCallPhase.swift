/// Where in a call something went wrong.
public enum HTTPCallPhase: String, Sendable, Hashable, CaseIterable {
    case dns, connect, tls, send, wait, receive
}
