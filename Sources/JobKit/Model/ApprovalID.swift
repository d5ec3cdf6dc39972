/// The name of an approval.
package struct ApprovalID: PrefixedID {
    package static let prefix = "apr_"

    package let bits: JobID

    package init(bits: JobID) { self.bits = bits }

    /// A new id for an approval that is opened at `time`.
    package init(at time: Timestamp, using generator: inout some RandomNumberGenerator) {
        bits = JobID(at: time, using: &generator)
    }
}
