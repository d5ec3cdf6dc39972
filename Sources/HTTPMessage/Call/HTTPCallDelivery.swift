/// Whether the upstream may have seen the request.
public enum HTTPCallDelivery: String, Sendable, Hashable, CaseIterable {
    /// No byte of the request left this machine.
    case notSent = "not_sent"
    /// Some or all of it left, and no complete response came: the upstream may have acted on it.
    case sentUnknown = "sent_unknown"
    /// A status line came back.
    case answered
}
