/// Limits of the store.
package struct StoreLimits: Sendable {
    /// How many jobs may be unfinished; beyond, submissions are refused. Default 1,000,000.
    package var unfinishedJobsMax = 1_000_000
    /// How many versions of templates there are at most. Default 10,000.
    package var templatesMax = 10_000
    /// How many secrets there may be, and how many connections. Default 1,000.
    package var settingsMax = 1_000
    /// How many marks of answers are kept, those of the last ones. Default 10,000.
    package var validatorsMax = 10_000
    /// How many posts one job takes in its life. Default 10,000.
    package var postsMax: Int64 = 10_000
    /// How many grants there may be. Default 10,000.
    package var grantsMax = 10_000

    /// The defaults.
    package init() {}
}
