package import JobKit

/// Reads of what came to callback URLs.
package protocol StandingReads: Sendable {
    /// The requests to one callback URL; nil when none came.
    /// - Throws: `.corrupt` when the row cannot be read.
    func callback(of id: JobID, _ place: CallbackPlace) throws(JobStoreError) -> CallbackStanding?
}
