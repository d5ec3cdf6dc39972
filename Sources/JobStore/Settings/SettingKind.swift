/// The kinds of settings that operators store by name for all jobs.
package enum SettingKind: Int64, Sendable, Hashable, CaseIterable {
    /// A value that is never shown; its body is encrypted before it comes to the store.
    case secret = 1
    /// A place that calls go to, as canonical JSON.
    case connection = 2
}
