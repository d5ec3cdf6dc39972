import DurableJobs
import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

// DESIGN
// The fast way in: one request and usually one fsync for up to a thousand jobs. A wrong spec does not affect the
// others, unless the batch is atomic. Each spec is read by the reader of a single submission, from its own bytes.

/// `POST /v1/jobs:batch`: checks and stores several job specs.
enum SubmitBatch {
    /// The maximum size of the body.
    static let bytesMax = 16 << 20
    /// The maximum number of problems listed for an atomic batch.
    static let itemsMax = 200

    /// The problems after which a further spec is refused with its first one, without suggestions.
    private static let problemsMax = 200

    /// The outcome of one spec before it reaches the store.
    private enum Draft {
        /// A job with the prepared members of its spec warnings.
        case job(JobID, JobSpec.Unique?, said: [UInt8])
        case refused(Problem)
    }

    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let isAtomic = query.flag("atomic")
        try query.finish()
        try SubmitJob.checkIntake(context)
        let pieces = try BatchPieces.cut(context.request)
        let claim = try IdempotencyKey.claim(in: context)
        let templates = TemplateBook(context.reader)
        let parts = BatchParts(context.store, isWhole: isAtomic || claim != nil)
        var drafts: [Draft] = []
        drafts.reserveCapacity(pieces.count)
        let moment = SpecWarning.Moment(now: context.startedAt, vault: context.secrets)
        // They may be about a template, which the token may not read.
        let showsWarnings = context.showsJobs
        var limits = SpecLimits.standard
        var problems = 0
        for (number, (piece, line)) in pieces.enumerated() {
            do throws(Problem) {
                guard piece.count <= SpecLimits.standard.bytesMax else { throw tooLarge }
                let accepted = try SubmitJob.accept(context, piece, templates, line: line, limits: limits)
                let known = accepted.known
                let job = try SubmitJob.newJob(
                    context, accepted, idempotency: claim.map { IdempotencyKey.part(number, of: $0) })
                let said =
                    showsWarnings
                    ? JobExtras.warnings(SpecPlan.warnings(of: known.spec, at: moment)) : []
                drafts.append(.job(job.record.id, known.spec.unique, said: said))
                parts.add(job)
            } catch {
                drafts.append(.refused(error))
                problems += error.items.count
                if problems >= problemsMax {
                    limits.problemsMax = 1
                    limits.suggestionStepsMax = 0
                }
            }
            if parts.isTooLarge { throw tooLargeTogether }
        }
        if isAtomic { try refuseAny(of: drafts) }
        parts.end(isAtomic: isAtomic) { [drafts] result in
            if case .success(.items(let outcomes)) = result {
                for outcome in outcomes { UniqueKey.stopReplaced(by: outcome, context.server.engine) }
            }
            context.onLoop { () throws(Problem) in
                context.noteDurable()
                switch result {
                case .failure(let error): throw sameKey(error, in: drafts) ?? Problem(error)
                case .success(.keyReused(let holder)): throw SubmitJob.keyReused(holder)
                case .success(.items(let outcomes)): answer(context, drafts, outcomes)
                }
            }
        }
    }

    private static var tooLarge: Problem {
        Problem(.payloadTooLarge, "A spec has at most \(SpecLimits.standard.bytesMax) bytes.")
    }

    private static var tooLargeTogether: Problem {
        Problem(
            .payloadTooLarge,
            "The specs of this batch have more than \(BatchParts.wholeBytesMax) bytes together with the templates that "
                + "they use, too much to be stored at once. Nothing was created. Send fewer at once, or leave out "
                + "atomic and Idempotency-Key.")
    }

    /// The problem when the job that holds a unique key belongs to the same batch; nil when it does not.
    private static func sameKey(_ error: JobStoreError, in drafts: [Draft]) -> Problem? {
        guard case .uniqueTaken(let holder) = error.code else { return nil }
        let jobs = drafts.map { draft -> (id: JobID, unique: JobSpec.Unique?)? in
            if case .job(let id, let unique, _) = draft { (id, unique) } else { nil }
        }
        guard let first = jobs.firstIndex(where: { $0?.id == holder }), let key = jobs[first]?.unique?.key,
            let number = jobs.indices.dropFirst(first + 1).first(where: {
                jobs[$0]?.unique?.key.hasSameBytes(as: key) == true && jobs[$0]?.unique?.onConflict == .reject
            })
        else { return nil }
        let detail = "Specs \(first) and \(number) of this batch have the same unique key. Leave one out."
        return Problem(
            .uniqueTaken, detail,
            items: [.init(.pointer("/\(number)/unique"), code: "spec.conflict", detail: detail)])
    }

    /// Refuses an atomic batch with the problems of all its specs, if there are any.
    private static func refuseAny(of drafts: [Draft]) throws(Problem) {
        var items: [Problem.Item] = []
        var refused = 0
        for (number, draft) in drafts.enumerated() {
            guard case .refused(let problem) = draft else { continue }
            refused += 1
            let found =
                problem.items.isEmpty
                ? [Problem.Item(.pointer(""), code: problem.kind.code, detail: problem.detail)]
                : problem.items
            for var item in found where items.count < itemsMax {
                item.move(below: "/\(number)")
                items.append(item)
            }
        }
        guard refused > 0 else { return }
        throw Problem(
            .invalidSpec,
            "\(refused) of \(drafts.count) specs have problems, and the batch is atomic: nothing was created.",
            items: items)
    }

    private static func answer(
        _ context: RequestContext, _ drafts: [Draft], _ outcomes: [Result<SubmitOutcome, JobStoreError>]
    ) {
        var text = ByteText(capacity: 32 + drafts.count * 112)
        var next = 0
        var accepted = 0
        text.put(#"{"items":["#)
        for (number, draft) in drafts.enumerated() {
            if number > 0 { text.put(",") }
            do throws(Problem) {
                switch draft {
                case .refused(let problem): throw problem
                case .job(_, _, let said):
                    guard next < outcomes.count else {
                        throw Problem(.internalError, "The store did not report the outcome of this job.")
                    }
                    let outcome = outcomes[next]
                    next += 1
                    let (id, state, mark) = try made(outcome)
                    accepted += 1
                    text.put(mark)
                    JobBody.appendMinimal(id, state, to: &text)
                    if !said.isEmpty {
                        text.put(",")
                        text.put(said)
                    }
                }
            } catch {
                text.put(#"{"status":"#)
                text.put(Int64(ProblemCatalog.entry(error.kind).status))
                text.put(#","problem":"#)
                text.put(error.json(requestID: context.requestID))
            }
            text.put("}")
        }
        text.put(#"],"accepted":"#)
        text.put(Int64(accepted))
        text.put(#","refused":"#)
        text.put(Int64(drafts.count - accepted))
        text.put("}\n")
        context.answer(.ok, json: text.bytes)
    }

    /// The created or found job, and the beginning of its item.
    private static func made(
        _ outcome: Result<SubmitOutcome, JobStoreError>
    ) throws(Problem) -> (id: JobID, state: JobState, mark: String) {
        switch outcome {
        case .success(.created(let job)), .success(.replacing(let job, _)):
            (job.id, job.state, #"{"status":202,"job":"#)
        case .success(.replayed(let job)): (job.id, job.state, #"{"status":202,"replayed":true,"job":"#)
        case .success(.joined(let job)): (job.id, job.state, #"{"status":200,"joined":true,"job":"#)
        case .success(.keyReused(let holder)): throw SubmitJob.keyReused(holder)
        case .success(.replayedGone(let id)): throw SubmitJob.keyOutlived(id)
        case .failure(let error): throw Problem(error)
        }
    }
}
