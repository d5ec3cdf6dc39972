/// Limits of the store.
package struct StoreLimits: Sendable {
    /// Unfinished jobs; beyond, submissions are refused. Default 1,000,000.
    package var unfinishedJobsMax = 1_000_000
    /// Versions of templates. Default 10,000.
    package var templatesMax = 10_000
    /// Secrets, and connections. Default 1,000.
    package var settingsMax = 1_000
    /// Validators of answers; the latest are kept. Default 10,000.
    package var validatorsMax = 10_000
    /// Posts that one job takes in its life. Default 10,000.
    package var postsMax: Int64 = 10_000
    /// Grants. Default 10,000.
    package var grantsMax = 10_000

    /// The defaults.
    package init() {}
}
