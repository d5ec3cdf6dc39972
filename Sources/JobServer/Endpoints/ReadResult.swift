import HTTPMessage
import JobKit
import JobStore

/// `GET /v1/jobs/{id}/result`: what the job produced, as raw bytes with their own content type.
enum ReadResult {
    /// Shows the result: 200, a part of it, 304, 202 with the job while it is not done, 404 with the job's error when
    /// there is none.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let job = try context.job()
        guard job.state.isFinal else {
            return JobAnswer.send(context, .accepted, job, HTTPFields(), waited: false)
        }
        let found: OperationResult?
        do { found = try context.door.reader.result(job.id) } catch { throw Problem(error) }
        guard let result = found, job.state == .succeeded else {
            var problem = Problem(
                .jobHasNoResult,
                "The job ended as \(job.state.rawValue) and has no result; job_error says why.")
            if let error = EngineMembers.value("error", in: job.detail) {
                problem = problem.member("job_error", error)
            }
            throw problem
        }
        try ContentAnswer(result, in: context).send(context)
    }
}
