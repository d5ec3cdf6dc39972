/// The kinds of named settings that apply to all jobs.
package enum SettingKind: Int64, Sendable, Hashable, CaseIterable {
    /// A value that is never shown; its body is encrypted before it reaches the store.
    case secret = 1
    /// An upstream, as canonical JSON.
    case connection = 2
}
