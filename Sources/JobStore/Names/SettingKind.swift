/// The kinds of named settings that apply to all jobs.
package enum SettingKind: Int64, Sendable, Hashable, CaseIterable {
    /// A value that is never shown; its body is encrypted before it reaches the store.
    case secret = 1
    /// An upstream, as canonical JSON.
    case connection = 2
    /// The configuration of a queue, as canonical JSON.
    case queue = 3
    /// The limits of an origin, as canonical JSON.
    case origin = 4
    /// A rule for requests from outside, as canonical JSON.
    case hook = 5

    /// The kind in a collection of the API, such as `secrets`; nil for other collections.
    package init?(collection: String) {
        switch collection {
        case "secrets": self = .secret
        case "connections": self = .connection
        case "queues": self = .queue
        case "hosts": self = .origin
        case "hooks": self = .hook
        default: return nil
        }
    }
}
