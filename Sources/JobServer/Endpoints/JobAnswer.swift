import HTTPMessage
import JobKit
import JobRunner
import JobStore
import StrictJSON

/// Answers with a job, with the same fields and body at every endpoint that shows one.
enum JobAnswer {
    /// Sends the job with `ETag`, `Retry-After` while it is unfinished, and `Preference-Applied`. A caller that may not
    /// read jobs gets the short form.
    /// - Parameters:
    ///   - known: the values of `If-None-Match`; a match is answered with 304.
    ///   - extras: further members of the job, without braces. What it throws is the answer.
    static func send(
        _ context: RequestContext, _ status: HTTPStatus, _ job: JobRecord, _ fields: consuming HTTPFields,
        _ preferences: Preferences = Preferences(), waited: Bool, known: [String] = [],
        extras: @autoclosure () throws(Problem) -> [UInt8] = []
    ) {
        let now = waited ? SystemTime.now() : context.startedAt
        let live = progress(of: job, context)
        let isMinimal = preferences.isMinimal || !context.showsJobs
        let tag = EntityTag.text(revision: job.revision, live, isMinimal: isMinimal)
        fields.add("ETag", tag)
        if let seconds = retryAfter(job, now: now) { fields.add("Retry-After", String(seconds)) }
        if let applied = preferences.applied(waited: waited) { fields.add("Preference-Applied", applied) }
        if EntityTag.isNamed(tag, by: known) {
            return context.answer(HTTPResponse(status: .notModified, fields: fields, body: .empty))
        }
        if isMinimal { return context.answer(status, fields, json: JobBody.minimal(job)) }
        do throws(Problem) {
            let body = JobBody.bytes(job, live: live, extras: try extras(), base: context.base)
            context.answer(status, fields, json: body)
        } catch {
            context.answer(error)
        }
    }

    /// Sends the job when it has ended, with 200, if the client waits for that (`Prefer: wait`); otherwise as it is.
    /// - Parameters:
    ///   - status: the status for one that has not ended.
    ///   - endsHeld: whether a held job ends the wait, too.
    ///   - extras: further members of the job, without braces.
    static func sendAwaited(
        _ context: RequestContext, _ status: HTTPStatus, _ job: JobRecord,
        _ fields: HTTPFields = HTTPFields(), _ preferences: Preferences? = nil, endsHeld: Bool = false,
        extras: [UInt8] = []
    ) {
        let preferences = preferences ?? context.preferences
        guard let seconds = preferences.wait else {
            return send(context, status, job, fields, preferences, waited: false, extras: extras)
        }
        let isOver: @Sendable (JobState) -> Bool = { $0.isFinal || endsHeld && $0 == .held }
        JobWait.until(isOver, context, job, seconds: seconds, reads: false) { job in
            guard isOver(job.state) else {
                return send(context, status, job, fields, preferences, waited: true, extras: extras)
            }
            var fields = fields
            fields.add("Content-Location", context.base + JobPath.text(job.id))
            send(context, .ok, job, fields, preferences, waited: true, extras: extras)
        }
    }

    /// Sends a job in its plain form.
    static func send(_ context: RequestContext, _ shown: ShownJob) {
        var fields = shown.fields
        if let seconds = retryAfter(shown.job, now: context.startedAt) {
            fields.add("Retry-After", String(seconds))
        }
        let base = context.base
        let body = base.isEmpty ? shown.body : JobBody.bytes(shown.job, base: base)
        context.answer(HTTPResponse(status: .ok, fields: fields, body: .bytes(body)))
    }

    /// The live progress of a running job; nil when it has none.
    private static func progress(of job: JobRecord, _ context: RequestContext) -> LiveProgress? {
        job.state == .running ? context.server.engine.progress(of: job.id) : nil
    }

    /// The seconds until the next useful poll; nil for a finished job. Until the job is due if that is known (at most
    /// an hour), else a tenth of its age, 1 s to 30 s.
    static func retryAfter(_ job: JobRecord, now: Timestamp) -> Int64? {
        if job.state.isFinal { return nil }
        if let due = job.dueAt, due > now {
            return min(max((due.since(now).wholeMilliseconds + 999) / 1_000, 1), 3_600)
        }
        return min(max(now.since(job.createdAt).wholeMilliseconds / 10_000, 1), 30)
    }
}

extension EntityTag {
    /// The strong validator of a job (RFC 9110 §8.8.3): its revision, with the progress while it has one. The short
    /// form omits the progress and has a tag of its own. `"r7"`, `"r7.400000"`, `"r7.84-300"`, `"r7.minimal"`
    static func text(revision: Int64, _ live: LiveProgress? = nil, isMinimal: Bool = false) -> String {
        if isMinimal { return "\"r\(revision).minimal\"" }
        let reported = live?.reported.map { ".\($0.done)" } ?? ""
        let operations = live?.operations.map { ".\($0.done)-\($0.total)" } ?? ""
        return "\"r\(revision)\(reported)\(operations)\""
    }

    /// Whether `If-None-Match` fields (RFC 9110 §13.1.2, weak comparison) contain this tag or `*`.
    static func isNamed(_ tag: String, by values: [String]) -> Bool {
        guard !values.isEmpty, let tag = EntityTag(tag) else { return false }
        return values.contains(where: tag.isNamed(inIfNoneMatch:))
    }

    /// Whether they contain this revision in any form, at any progress.
    static func isNamed(_ revision: Int64, atAnyProgressBy values: [String]) -> Bool {
        isNamed(text(revision: revision), by: values) || values.contains { $0.contains("\"r\(revision).") }
    }
}
