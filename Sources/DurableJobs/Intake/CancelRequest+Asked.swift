package import JobKit
package import JobStore

extension CancelRequest {
    /// Creates a cancellation request by a person or by another job.
    /// - Parameters:
    ///   - job: the job as last read.
    ///   - by: the requester.
    ///   - reason: the reason, in the requester's words.
    ///   - code: the code of the error that the job ends with.
    package init(
        of job: JobRecord, by: String, reason: String?, at: Timestamp, code: ErrorCode = .cancelledUser
    ) {
        let when = job.startedAt == nil ? "before it ran" : "while it was \(job.state.rawValue)"
        let why = reason.map { " Reason: \($0)" } ?? ""
        var error = AOperationError(
            code, detail: "Cancelled\(Requester.text(by)) \(when).\(why)", publisher: job.name)
        error.path = [job.name]
        error.at = at
        self.init(
            id: job.id, at: at,
            journal: JournalEntry(
                at: at, path: [], event: .cancelRequested(by: by, reason: reason, code: code)),
            ending: OperationEnding(state: .cancelled, errors: [error]))
    }
}
