package import JobKit

/// Reports which jobs changed.
package protocol CommitFeed: Sendable {
    /// Calls `observer` after each commit, on a thread of the store, with the jobs that the commit changed in state or
    /// revision, or to whose journal it added, in order; what comes late of another server is marked as outdated. It
    /// must return quickly; it may start further writes. There is one observer; setting another replaces it.
    func observeCommits(_ observer: @escaping @Sendable ([JobChange]) -> Void)

    /// The number of jobs in each state; states without jobs may be missing. Cheap: maintained, not counted.
    func counts() -> [JobState: Int]
}
