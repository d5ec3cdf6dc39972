import JobKit
import JobRunner
import JobStore

extension CancelRequest {
    /// A person's wish, or that of another job.
    /// - Parameters:
    ///   - job: which job, as it was just now.
    ///   - by: whose wish it is.
    ///   - reason: why, in their words.
    ///   - code: that of the error which the job ends with.
    init(of job: JobRecord, by: String, reason: String?, at: Timestamp, code: ErrorCode = .cancelledUser) {
        let when = job.startedAt == nil ? "before it ran" : "while it was \(job.state.rawValue)"
        let why = reason.map { " Reason: \($0)" } ?? ""
        var error = AOperationError(code, detail: "Cancelled by \(by) \(when).\(why)", publisher: job.name)
        error.path = [job.name]
        error.at = at
        self.init(
            id: job.id, at: at, detail: JobDetail.error(error),
            journal: JournalEntry(
                at: at, path: [], event: .cancelRequested(by: by, reason: reason, code: code)),
            ending: OperationEnding(state: .cancelled, errors: [error]))
    }
}
