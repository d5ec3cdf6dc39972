/// The source of a setting's value.
package enum SettingSource: String, Sendable, Hashable, CaseIterable {
    case `default`
    /// The operation.
    case spec
    /// The `defaults` of the job.
    case defaults
    /// The connection of the call.
    case connection
    /// An option of the server.
    case server
}
