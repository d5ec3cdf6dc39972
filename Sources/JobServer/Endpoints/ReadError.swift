import JobKit
import HTTPMessage
import JobStore

/// `GET /v1/jobs/{id}/error`: why the job did not succeed.
enum ReadError {
    /// Shows the error, or 404 when there is none.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let job = try context.job()
        guard let error = EngineMembers.value("error", in: job.detail) else {
            throw Problem(.jobHasNoError, "The job is \(job.state.rawValue) and has no error.")
        }
        var fields = HTTPFields()
        fields.add("ETag", EntityTag.text(revision: job.revision))
        context.answer(.ok, fields, json: error + [0x0A])
    }
}
