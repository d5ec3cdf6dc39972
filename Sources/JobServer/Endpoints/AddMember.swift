import DurableJobs
import EventIO
import HTTPMessage
import JobKit
import JobRunner
import JobSpec
import JobStore
import StrictJSON

// DESIGN
// A member must join or be refused, never be lost; whether its group has ended is decided where the group lives. While
// the job runs, the engine keeps the group open until the member is stored and has joined; another server does so for a
// while. While it does not run, the store accepts the member only if the job has not changed since it was read;
// otherwise the request starts over.

/// `POST /v1/jobs/{id}/operations`: adds a member to a group of an unfinished job.
enum AddMember {
    /// The maximum size of a member's JSON.
    static let bytesMax = 256 << 10
    /// The time in which a job that keeps changing is read again. The question to other servers takes up to a second.
    private static let patience = Duration.seconds(5)

    /// Checks the member and stores it durably: 202 with its path.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.jobID()
        let addition = try read(context.request)
        try attempt(Attempt(context: context, id: id, addition: addition, until: .now + patience))
    }

    private struct Attempt: Sendable {
        let context: RequestContext
        let id: JobID
        var addition: MemberAddition
        /// The end of the attempts.
        let until: ContinuousClock.Instant
    }

    private static func read(_ request: HTTPRequest) throws(Problem) -> MemberAddition {
        let value = try request.json()
        guard let object = value.object, let operation = object["operation"],
            object.members.allSatisfy({ ["group", "operation"].contains($0.name) })
        else {
            throw Problem(
                .invalidBody,
                #"The body is {"group": "path/of/a/group", "operation": {…}}; without group it is the job."#)
        }
        guard let group = (object["group"] ?? .string("")).string else {
            throw Problem(.invalidBody, "group must be a string: names with slashes between.")
        }
        return MemberAddition(group: group.isEmpty ? [] : OperationAddress.path(group), spec: operation)
    }

    private static func attempt(_ attempt: Attempt) throws(Problem) {
        let context = attempt.context
        try context.onReaderThread { reader throws(Problem) in
            let history = try JobHistory(attempt.id, from: reader)
            guard !history.job.state.isFinal, history.job.state != .cancelling,
                !history.isOver(attempt.addition.group)
            else { throw closed(attempt.addition.group) }
            let spec = try stored(reader.spec(attempt.id))
            let member = try SpecBody.taken { () throws(Intake.Refusal) in
                try context.intake.member(
                    attempt.addition, to: spec ?? [], earlier: history.additions, now: context.startedAt)
            }
            join(attempt, member, history.job)
        }
    }

    private static func join(_ attempt: Attempt, _ member: JobSpecReader.CheckedMember, _ job: JobRecord) {
        let context = attempt.context
        let group = member.addition.group
        context.server.engine.reserveMember(in: group, of: attempt.id) { place in
            switch place {
            case .closed: context.answer(closed(group))
            case .notRunning where job.state == .running: again(attempt)
            case .notRunning: store(attempt, member, job, isReserved: false)
            case .reserved: store(attempt, member, job, isReserved: true)
            case .reservedElsewhere(let until): store(attempt, member, job, isReserved: true, until: until)
            }
        }
    }

    private static func store(
        _ attempt: Attempt, _ member: JobSpecReader.CheckedMember, _ job: JobRecord, isReserved: Bool,
        until: ContinuousClock.Instant? = nil
    ) {
        let context = attempt.context
        let engine = context.server.engine
        let group = member.addition.group
        let message = JobMessage(
            by: context.caller.by, content: .member(group: group, spec: member.addition.spec))
        let entry = JournalEntry(at: context.startedAt, path: [], event: .message(message))
        context.auditedStore.perform(JobPost(id: attempt.id, journal: entry, ifRevision: job.revision)) {
            result in
            switch result {
            case .success(let receipt):
                if receipt.isRunning { engine.deliver(message, number: receipt.number, to: attempt.id) }
                if receipt.isRunning, let until, until < .now { return context.answer(tooLate) }
                context.goOn { () throws(Problem) in answer(context, attempt.id, group, member.name) }
            case .failure(let error):
                if isReserved { engine.forgetMember(in: group, of: attempt.id) }
                switch error.code {
                case .revisionConflict: again(attempt)
                case .wrongState: context.answer(closed(group))
                default: context.answer(Problem(error))
                }
            }
        }
    }

    /// Reads the job again after a short pause, since it changed meanwhile.
    private static func again(_ attempt: Attempt) {
        let context = attempt.context
        guard .now < attempt.until else {
            return context.answer(
                Problem(.overloaded, "The job keeps changing, so nothing was added. Try again."))
        }
        let loop = context.exchange.loop
        Task(executorPreference: loop) {
            try? await loop.sleep(for: .milliseconds(10))
            context.attempt { () throws(Problem) in try self.attempt(attempt) }
        }
    }

    private static func answer(_ context: RequestContext, _ id: JobID, _ group: [String], _ name: String) {
        var json = JSONWriter()
        json.beginObject()
        json.member("job_id", id)
        json.member("group", OperationAddress.text(of: group))
        json.member("name", name)
        json.member("operation", OperationAddress.text(of: group + [name]))
        json.endObject()
        context.answer(.accepted, json: json.line())
    }

    private static let tooLate = Problem(
        .overloaded,
        "The member was stored too late to be sure that its group was still open. Look at the operations of the job "
            + "before you add it again.")

    private static func closed(_ group: [String]) -> Problem {
        let name = group.isEmpty ? "The job" : "The group \"\(OperationAddress.text(of: group))\""
        return Problem(.groupClosed, "\(name) is over and takes no further members.")
    }
}
