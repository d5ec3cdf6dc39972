package import JobKit

package protocol ApprovalReads: Sendable {
    /// The approval, or nil.
    func approval(_ id: ApprovalID) throws(JobStoreError) -> ApprovalRecord?

    func approvals(_ query: ApprovalQuery) throws(JobStoreError) -> ApprovalPage
}
