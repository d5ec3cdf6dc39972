import DurableJobs
import HTTPMessage
import JobKit
import JobRunner
import JobStore
import StrictJSON

/// `POST /v1/jobs/{id}:cancel`: requests the cancellation of a job. Idempotent.
enum CancelJob {
    /// The maximum length of the reason, in bytes.
    static let reasonBytesMax = 1_000

    /// Cancels a job: 200 when it has ended already or ends at once, 202 while it is being cancelled.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.jobID()
        var body = try CommandBody(context.request)
        let reason = body.text("reason", bytesMax: reasonBytesMax)
        try body.finish()
        let by = context.caller.by
        let at = context.startedAt
        let job = try context.job(id)
        let request = CancelRequest(of: job, by: by, reason: reason, at: at)
        context.auditedStore.perform(request) { result in
            if stopsRun(result) { context.server.engine.take([RunRequest(request)]) }
            context.goOn { () throws(Problem) in try answer(context, job, result) }
        }
    }

    /// Whether to stop the run: also when the disk takes no writes, since the run may be what fills it. Its end is
    /// stored once there is space again.
    private static func stopsRun(_ result: Result<CancelOutcome, JobStoreError>) -> Bool {
        switch result {
        case .success(.cancelling): true
        case .success: false
        case .failure(let error): error.code == .diskFull
        }
    }

    private static func answer(
        _ context: RequestContext, _ asked: JobRecord, _ result: Result<CancelOutcome, JobStoreError>
    ) throws(Problem) {
        switch result {
        case .success(.cancelled(let job)), .success(.alreadyFinal(let job)):
            JobAnswer.sendAwaited(context, .ok, job)
        case .success(.cancelling(let job)):
            JobAnswer.sendAwaited(context, .accepted, job)
        case .failure(let error):
            var problem = Problem(error)
            if stopsRun(result), asked.state == .running {
                problem.detail +=
                    " The run is being stopped nevertheless, and its end is stored when there is space; should the "
                    + "server stop before that, cancel the job again."
            }
            throw problem
        }
    }
}
