/// Reads of ends whose callbacks are not stored yet.
package protocol CallbackReads: Sendable {
    /// Up to `limit` (1…10,000) ends of jobs, of those in `NewJob.callbackEnds`, whose callbacks were not stored with
    /// `CallbackSubmission`, in the order of the jobs' acceptance.
    func endsToTell(limit: Int) throws(JobStoreError) -> [JobEnd]
}
