import HTTPMessage
import JobKit
import JobStore

/// `GET /v1/jobs/{id}/error`: why the job did not succeed.
enum ReadError {
    /// Answers with the error, or 404 when there is none.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let job = try context.job()
        guard let error = EngineMembers.value("error", in: job.detail) else {
            let isFailing = EngineMembers.value("last_error", in: job.detail) != nil
            let last =
                isFailing
                ? " The error of its latest attempt is in last_error of \(JobPath.text(job.id))." : ""
            throw Problem(.jobHasNoError, "The job is \(job.state.rawValue) and has no error.\(last)")
        }
        var fields = HTTPFields()
        fields.add("ETag", EntityTag.text(revision: job.revision))
        context.answer(.ok, fields, json: error + [0x0A])
    }
}
