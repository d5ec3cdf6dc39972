/// Where the value of a setting comes from.
public enum SettingSource: String, Sendable, Hashable, CaseIterable {
    /// Nobody said anything.
    case `default`
    /// The operation says it.
    case spec
    /// The `defaults` of the job say it.
    case defaults
    /// The connection that the call uses says it.
    case connection
    /// The server was started with it.
    case server
}
