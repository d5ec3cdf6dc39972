/// An operation that calls origins.
package struct OriginCaller: Sendable, Hashable {
    package var job: String
    /// The names from below the root down to it.
    package var path: [String]

    package init(job: String, path: [String]) {
        self.job = job
        self.path = path
    }
}
