package import JobKit

/// Tells which jobs changed.
package protocol CommitFeed: Sendable {
    /// Calls `observer` after each commit, on a thread of the store, with the jobs that the commit changed in state
    /// or revision, in order. It must return quickly; it may start further writes. There is one observer; the last
    /// one set counts.
    func observeCommits(_ observer: @escaping @Sendable ([JobChange]) -> Void)

    /// The number of jobs in each state; states with none may be missing. Cheap: kept, not counted.
    func counts() -> [JobState: Int]
}
