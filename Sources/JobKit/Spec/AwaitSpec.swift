public import StrictJSON

/// Waits for a signal from outside.
public struct AwaitSpec: Sendable, Hashable {
    /// The signal's name: `[a-z][a-z0-9_-]{0,62}`.
    public var signal: String
    /// What must hold of the signal's value, which stands at `/body`; other signals of this name are left alone.
    public var match: Predicate?
    /// How long to wait before `onTimeout` applies; nil is for ever, or until the operation's `timeout`.
    public var limit: Duration?
    /// What the result is when the signal does not come in time.
    public var fallback: JSONValue = .null

    /// Waits for the signal `signal`.
    public init(signal: String) { self.signal = signal }
}
