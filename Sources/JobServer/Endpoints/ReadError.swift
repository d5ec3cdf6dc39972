import HTTPMessage
import JobKit
import JobStore

/// `GET /v1/jobs/{id}/error`: why the job did not succeed.
enum ReadError {
    /// Answers with the error, or 404 when there is none.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let job = try context.job()
        let detail = job.detail.values
        guard let error = detail.errors.first else {
            let last =
                detail.lastError != nil
                ? " The error of its latest attempt is in last_error of \(JobPath.text(job.id))." : ""
            throw Problem(.jobHasNoError, "The job is \(job.state.rawValue) and has no error.\(last)")
        }
        var fields = HTTPFields()
        fields.add("ETag", EntityTag.text(revision: job.revision))
        context.answer(.ok, fields, json: ErrorBody.bytes(error) + [0x0A])
    }
}
