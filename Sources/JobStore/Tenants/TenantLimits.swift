package import JobKit

/// The maximum of what a tenant does and has. Submissions beyond it are refused; what was accepted is done.
package struct TenantLimits: Sendable, Hashable {
    /// The rate of submissions to one server.
    package var rate: RateLimit?
    /// The maximum number of unfinished jobs.
    package var unfinishedMax: Int?
    /// The maximum number of bytes of content that its jobs keep in files.
    package var artifactBytesMax: Int64?

    package init() {}
}
