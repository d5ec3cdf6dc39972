/// A permission of a token. Each route requires at most one.
enum AccessScope: String, Sendable, Hashable, CaseIterable {
    /// Read jobs, results, errors, events and metrics.
    case read
    /// Submit new jobs, and nothing else. Part of `write`.
    case submit
    /// Submit, cancel, retry and erase jobs.
    case write
    /// Store and remove secrets and connections.
    case admin

    /// All, as a message lists them.
    static let list = "read, submit, write and admin"
}
