package import JobKit

/// A claim: the right to run one job until the lease ends.
package struct ClaimKey: Sendable, Hashable {
    /// The job.
    package var id: JobID
    /// The fence number of the claim.
    package var fence: Int64

    /// A claim's key.
    package init(id: JobID, fence: Int64) {
        self.id = id
        self.fence = fence
    }
}

extension JobStoreError {
    /// The run of this claim has nothing to say any more.
    package static func staleClaim(_ claim: ClaimKey) -> JobStoreError {
        JobStoreError(
            .staleClaim,
            "Claim \(claim.fence) of job \(claim.id) is over: it was claimed again, ended or erased.")
    }
}
