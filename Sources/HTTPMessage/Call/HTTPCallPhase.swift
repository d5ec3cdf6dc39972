/// The phase of a call in which it failed.
public enum HTTPCallPhase: String, Sendable, Hashable, CaseIterable {
    case dns, connect, tls, send, wait, receive
}
