/// The relation of the span of a job to that of its submission.
package enum TraceRelation: String, Sendable, Hashable, CaseIterable {
    /// A child when the job starts within a minute, otherwise as `link`: a trace that lasts for days is of no use.
    case auto
    /// Always a child, of the first try.
    case child
    /// Always a trace of the job alone, with a link.
    case link

    /// The delay of a start after which `auto` links.
    package static let childSeconds: Int64 = 60
}
