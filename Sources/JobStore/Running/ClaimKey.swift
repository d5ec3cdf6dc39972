package import JobKit

/// The right to run one job until the lease ends.
package struct ClaimKey: Sendable, Hashable {
    package var id: JobID
    /// The fence of the claim.
    package var fence: Int64

    package init(id: JobID, fence: Int64) {
        self.id = id
        self.fence = fence
    }
}

extension JobStoreError {
    /// The error of a run whose claim is over.
    package static func staleClaim(_ claim: ClaimKey) -> JobStoreError {
        JobStoreError(
            .staleClaim,
            "Claim \(claim.fence) of job \(claim.id) is over: it was claimed again, ended or erased.")
    }
}
