import DurableJobs
import HTTPMessage
import JobKit
import JobStore
import OpenSSLCrypto

/// `POST /v1/jobs/{id}:requeue`: submits the spec of an ended job again, as a new job.
enum RequeueJob {
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.jobID()
        var body = try CommandBody(context.request)
        try body.finish()
        let idempotency = try IdempotencyKey.claim(in: context)
        let job = try context.job(id)
        guard job.state.isFinal else {
            throw Problem(
                .jobNotFinished,
                "The job \(id) is \(job.state.rawValue), and has not ended. Wait for its end, or cancel it.")
        }
        try SubmitJob.checkIntake(context)
        let text = try stored(context.reader.spec(id))
        let again = try SpecBody.taken { () throws(Intake.Refusal) in
            try context.intake.again(text ?? [], now: context.startedAt)
        }
        guard let accepted = again else {
            throw Problem(.invalidSpec, "The spec of the job \(id) is damaged or of another version.")
        }
        try SharedKey.check(context, forCallbacksOf: accepted.known.spec)
        let new = try SubmitJob.newJob(context, accepted, of: job.tenant, idempotency: idempotency)
        SubmitJob.store(new, of: accepted.known.spec, context, context.preferences)
    }
}
