package import JobKit

/// Reads of what came to callback URLs.
package protocol StandingReads: Sendable {
    /// Up to `limit` (1…10,000) waits of a job with a callback URL to which something came, in the order of their
    /// names, after one.
    func callbacks(
        of id: JobID, after name: String, limit: Int
    ) throws(JobStoreError) -> [CallbackStanding]

    /// The requests to one callback URL; nil when none came.
    func callback(of id: JobID, _ place: CallbackPlace) throws(JobStoreError) -> CallbackStanding?
}
