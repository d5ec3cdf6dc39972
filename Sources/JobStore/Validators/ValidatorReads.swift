package import JobKit

package protocol ValidatorReads: Sendable {
    /// The validator of the last successful answer to a request; nil when it is unknown or the job with the answer was
    /// erased.
    func validator(_ key: String) throws(JobStoreError) -> AnswerValidator?
}
