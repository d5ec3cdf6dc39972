import HTTPMessage
import JobKit
import JobStore

/// `GET /v1/jobs/{id}/result`: the result of the job as raw bytes with its content type.
enum ReadResult {
    /// Answers with the result: 200, 206, 304, 202 with the job while it is unfinished, 404 with the job's error when
    /// there is no result.
    static func handle(_ context: RequestContext) throws(Problem) {
        let live = try LiveResult(context)
        let job = try context.job()
        if let live {
            return try live.answer(of: job.id, at: []) { () throws(Problem) in
                JobAnswer.send(context, .accepted, try context.job(job.id), HTTPFields(), waited: false)
            }
        }
        guard job.state.isFinal else {
            return JobAnswer.send(context, .accepted, job, HTTPFields(), waited: false)
        }
        let found = try stored(context.reader.result(job.id))
        guard let result = found, job.state == .succeeded else {
            var problem = Problem(
                .jobHasNoResult,
                "The job ended as \(job.state.rawValue) and has no result; error says why.")
            if let error = job.detail.values.errors.first {
                problem = problem.member("error", ErrorBody.bytes(error))
            }
            throw problem
        }
        try ContentAnswer(result, in: context).send(context)
    }
}
