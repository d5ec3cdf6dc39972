import JobKit
import JobStore
import StrictJSON

/// What a job shows that was cancelled before it ran.
enum CancelDetail {
    /// The record's new detail: the error and the list of errors.
    static func bytes(
        job: JobRecord, by: String, reason: String?, at: Timestamp, code: ErrorCode = .cancelledUser
    ) -> [UInt8] {
        let why = reason.map { " Reason: \($0)" } ?? ""
        var error = AOperationError(
            code, detail: "Cancelled by \(by) before it ran.\(why)", publisher: job.name)
        error.path = [job.name]
        error.at = at
        var json = JSONWriter()
        error.write(to: &json)
        return Array("\"error\":".utf8) + json.bytes + Array(",\"errors\":[".utf8) + json.bytes + [0x5D]
    }
}
