package import JobKit

/// Reports which jobs changed.
package protocol CommitFeed: Sendable {
    /// Calls `observer` after each commit, on a thread of the store, with the jobs that the commit changed in state or
    /// revision, or to whose journal it added, in order; what comes late of another server is marked as outdated. It
    /// must return quickly; it may start further writes. There is one observer; setting another replaces it.
    func observeCommits(_ observer: @escaping @Sendable ([JobChange]) -> Void)

    /// Calls `observer` when changes by other servers may be missing from what `observeCommits` tells. There is one
    /// observer; setting another replaces it.
    func observeGaps(_ observer: @escaping @Sendable () -> Void)

    /// Calls `observer` with the requests to jobs in flight that other servers stored, in their order, on a thread of
    /// the store. Those that this server stores are not among them: their callers notify the runs. There is one
    /// observer; setting another replaces it.
    func observeRequests(_ observer: @escaping @Sendable ([RunRequest]) -> Void)

    /// The number of jobs in each state; states without jobs may be missing. Cheap: maintained, not counted.
    func counts() -> [JobState: Int]
}

extension CommitFeed {
    /// Never called: for engines that one server uses.
    package func observeGaps(_ observer: @escaping @Sendable () -> Void) {}

    /// Never called: for engines that one server uses.
    package func observeRequests(_ observer: @escaping @Sendable ([RunRequest]) -> Void) {}
}
