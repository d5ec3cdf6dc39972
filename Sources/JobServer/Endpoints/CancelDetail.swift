import JobKit
import JobStore
import StrictJSON

/// What a job shows that was cancelled while nothing of it was in flight.
enum CancelDetail {
    /// The record's new detail: the error and the list of errors.
    static func bytes(
        job: JobRecord, by: String, reason: String?, at: Timestamp, code: ErrorCode = .cancelledUser
    ) -> [UInt8] {
        let when = job.startedAt == nil ? "before it ran" : "while it was \(job.state.rawValue)"
        let why = reason.map { " Reason: \($0)" } ?? ""
        var error = AOperationError(
            code, detail: "Cancelled by \(by) \(when).\(why)", publisher: job.name)
        error.path = [job.name]
        error.at = at
        var json = JSONWriter()
        error.write(to: &json)
        return Array("\"error\":".utf8) + json.bytes + Array(",\"errors\":[".utf8) + json.bytes + [0x5D]
    }
}
