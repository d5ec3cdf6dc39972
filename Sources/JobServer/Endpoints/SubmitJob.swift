import DurableJobs
import HTTPMessage
import JobKit
import JobSpec
import JobStore
import OpenSSLCrypto
import StrictJSON
import Synchronization

// DESIGN
// The most frequent write. Everything up to the hand-over to the store runs on the loop without a task, a hop or
// Foundation; the store replies on its writer thread, which hops straight back to the loop to render the answer. The
// answer shows the record that was stored.

/// `POST /v1/jobs`: checks a job spec and stores it durably.
enum SubmitJob {
    static func handle(_ context: RequestContext) throws(Problem) {
        let head = context.request.head
        if try Negotiation.isPlainJSONBody(head) { return try submit(context) }
        if try ScriptBody.isScript(head) {
            let script = try ScriptBody.spec(of: context.request.body)
            return try submit(context, composed: script.bytes, after: script.warnings)
        }
        try Negotiation.checkJSONBody(head, takesSpecs: true)
        try submit(context)
    }

    /// Checks a spec and stores it.
    /// - Parameters:
    ///   - composed: the spec when it is not the body itself.
    ///   - warnings: the warnings of a translation that preceded the spec.
    static func submit(
        _ context: RequestContext, composed: [UInt8]? = nil, after warnings: [SpecWarning] = []
    ) throws(Problem) {
        let validatesOnly = try validateOnly(context)
        let key = try IdempotencyKey.key(in: context)
        let accepted = try accept(
            context, composed ?? context.request.body, TemplateBook(context.reader),
            isRepeated: key != nil && !validatesOnly)
        let known = accepted.known
        let moment = SpecWarning.Moment(now: context.startedAt, vault: context.secrets)
        if validatesOnly {
            let isShown = context.showsJobs
            return context.answer(
                .ok, json: isShown ? PlanBody.bytes(known.spec, after: warnings, at: moment) : PlanBody.short)
        }
        try checkIntake(context)
        let document = composed == nil ? accepted.given : nil
        var job = try newJob(
            context, accepted,
            idempotency: key.map { IdempotencyKey.claim($0, in: context, document: document) })
        let preferences = context.preferences
        job.mayRunFirst = key == nil && (preferences.wait ?? 0) > 0 && known.spec.onlyReads
        let found = SpecPlan.warnings(of: known.spec, at: moment)
        store(job, of: known.spec, context, preferences, JobExtras.warnings(warnings + found))
    }

    /// Stores a new job and answers with it.
    /// - Parameters:
    ///   - spec: the spec that it was made from.
    ///   - warnings: further members of the answer.
    static func store(
        _ job: NewJob, of spec: JobSpec, _ context: RequestContext, _ preferences: Preferences,
        _ warnings: [UInt8] = []
    ) {
        let uploads = spec.uploads
        FullQueueWait.submit(job, context) { result in
            UniqueKey.stopReplaced(by: result, context.server.engine)
            context.onLoop { () throws(Problem) in
                if case .failure(let error) = result, error.code == .missing(.upload) {
                    throw Uploads.problem(error, uploads)
                }
                try answer(context, result, preferences, warnings)
            }
        }
    }

    /// Reads a spec.
    /// - Parameter isRepeated: whether an earlier request may have made the job, which is found whatever became of its
    ///   uploads: the store looks for both, in this order.
    static func accept(
        _ context: RequestContext, _ body: [UInt8], _ templates: TemplateBook, line: Int = 1,
        limits: SpecLimits = .standard, isRepeated: Bool = false
    ) throws(Problem) -> AcceptedSpec {
        let accepted = try SpecBody.accept(
            body, context.intake, templates, line: line, limits: limits, now: context.startedAt)
        let uploads = accepted.known.spec.uploads
        if !isRepeated, !uploads.isEmpty { try Uploads.check(uploads, context) }
        try SharedKey.check(context, forCallbacksOf: accepted.known.spec)
        return accepted
    }

    /// The new job of an accepted spec.
    /// - Parameter tenant: whose job it is, unless the caller is of a tenant.
    static func newJob(
        _ context: RequestContext, _ accepted: AcceptedSpec, of tenant: Tenant? = nil,
        idempotency: IdempotencyClaim?
    ) throws(Problem) -> NewJob {
        var job = try SpecBody.taken { () throws(Intake.Refusal) in
            try accepted.job(
                by: context.caller.by, of: tenant, now: context.startedAt,
                random: context.door.randomWords.pair())
        }
        job.idempotency = idempotency
        job.note(createdBy: context.caller.by)
        context.span?.mark(&job)
        return job
    }

    /// Refuses new jobs while the server is stopping.
    static func checkIntake(_ context: RequestContext) throws(Problem) {
        guard !context.server.process.isDraining else {
            throw .draining
        }
    }

    /// The problem of an idempotency key that belongs to a different request.
    static func keyReused(_ holder: JobID) -> Problem {
        Problem(
            .idempotencyKeyReused,
            "This Idempotency-Key created the job \(holder) with another request body. Use a new key for a new job."
        ).member("job_id", Array("\"\(holder)\"".utf8))
    }

    /// The problem of an idempotency key whose job no longer exists.
    static func keyOutlived(_ id: JobID) -> Problem {
        Problem(
            .idempotencyJobGone,
            "This Idempotency-Key created the job \(id), which has been removed since: its retention ended, or it was "
                + "erased. It was not created again. Use a new key for a new job."
        ).member("job_id", Array("\"\(id)\"".utf8))
    }

    private static func validateOnly(_ context: RequestContext) throws(Problem) -> Bool {
        guard context.request.head.target.queryBytes != nil else { return false }
        var query = context.query
        let flag = query.flag("validate_only")
        try query.finish()
        return flag
    }

    private static func answer(
        _ context: RequestContext, _ result: Result<SubmitOutcome, JobStoreError>,
        _ preferences: Preferences, _ warnings: [UInt8]
    ) throws(Problem) {
        context.noteDurable()
        switch result {
        case .failure(let error):
            throw Problem(error)
        case .success(.keyReused(let holder)):
            throw keyReused(holder)
        case .success(.replayedGone(let id)):
            throw keyOutlived(id)
        case .success(.created(let job)), .success(.replacing(let job, _)):
            accepted(context, job, preferences, warnings: warnings)
        case .success(.replayed(let job)):
            accepted(context, job, preferences, mark: "Idempotency-Replayed", warnings: warnings)
        case .success(.joined(let job)):
            accepted(context, job, preferences, .ok, mark: "Unique-Joined", warnings: warnings)
        }
    }

    private static func accepted(
        _ context: RequestContext, _ job: JobRecord, _ preferences: Preferences,
        _ status: HTTPStatus = .accepted, mark: String? = nil, warnings: [UInt8]
    ) {
        var fields = HTTPFields()
        fields.add("Location", context.base + JobPath.text(job.id))
        context.span?.note(job.id)
        if let mark { fields.add(mark, "true") }
        JobAnswer.sendAwaited(context, status, job, fields, preferences, extras: warnings)
    }
}
