import HTTPMessage
import JobKit
import JobRunner
import JobStore
import StrictJSON

/// Answers with a job: fields and body are the same wherever a job is shown.
enum JobAnswer {
    /// Sends the job with `ETag`, `Retry-After` while it is not done, and `Preference-Applied`; its short form to a
    /// caller that may not read jobs.
    /// - Parameters:
    ///   - known: the values of `If-None-Match`; who has this job already, gets 304 instead.
    ///   - extras: further members of the job, without braces.
    static func send(
        _ context: RequestContext, _ status: HTTPStatus, _ job: JobRecord, _ fields: consuming HTTPFields,
        _ preferences: Preferences = Preferences(), waited: Bool, known: [String] = [],
        extras: @autoclosure () -> [UInt8] = []
    ) {
        let now = waited ? SystemTime.now() : context.startedAt
        let progress = progress(of: job, context)
        let isMinimal = preferences.isMinimal || !context.showsJobs
        let tag = EntityTag.text(revision: job.revision, progress, isMinimal: isMinimal)
        fields.add("ETag", tag)
        if let seconds = retryAfter(job, now: now) { fields.add("Retry-After", String(seconds)) }
        if let applied = preferences.applied(waited: waited) { fields.add("Preference-Applied", applied) }
        if EntityTag.isNamed(tag, by: known) {
            return context.answer(HTTPResponse(status: .notModified, fields: fields, body: .empty))
        }
        let body =
            isMinimal
            ? JobBody.minimal(job)
            : JobBody.bytes(job, progress: progress, extras: extras(), base: context.base)
        context.answer(status, fields, json: body)
    }

    /// Sends a job as it is shown to whoever asks for nothing special.
    static func send(_ context: RequestContext, _ shown: ShownJob) {
        var fields = HTTPFields()
        fields.add("ETag", EntityTag.text(revision: shown.job.revision))
        if let seconds = retryAfter(shown.job, now: context.startedAt) {
            fields.add("Retry-After", String(seconds))
        }
        let base = context.base
        context.answer(.ok, fields, json: base.isEmpty ? shown.body : JobBody.bytes(shown.job, base: base))
    }

    /// How far a running job is; nil when it does not say.
    private static func progress(of job: JobRecord, _ context: RequestContext) -> JobProgress? {
        job.state == .running ? context.server.engine.progress(of: job.id) : nil
    }

    /// After how many seconds it is worth asking again; nil for a job that is done. Until the job is due when that is
    /// known (an hour at most), else a tenth of its age, 1 s to 30 s.
    static func retryAfter(_ job: JobRecord, now: Timestamp) -> Int64? {
        if job.state.isFinal { return nil }
        if let due = job.dueAt, due > now {
            return min(max((due.since(now).wholeMilliseconds + 999) / 1_000, 1), 3_600)
        }
        return min(max(now.since(job.createdAt).wholeMilliseconds / 10_000, 1), 30)
    }
}

extension EntityTag {
    /// The validator of a job (RFC 9110 §8.8.3): strong, made of the revision, and of how far it is while it says so;
    /// the short form, which does not, has one of its own. `"r7"`, `"r7.400000"`, `"r7.minimal"`
    static func text(revision: Int64, _ progress: JobProgress? = nil, isMinimal: Bool = false) -> String {
        let more = isMinimal ? ".minimal" : progress.map { ".\($0.done)" } ?? ""
        return "\"r\(revision)\(more)\""
    }

    /// Whether `If-None-Match` fields (RFC 9110 §13.1.2, weak comparison) name this tag, or anything.
    static func isNamed(_ tag: String, by values: [String]) -> Bool {
        guard !values.isEmpty, let tag = EntityTag(tag) else { return false }
        return values.contains(where: tag.isNamed(inIfNoneMatch:))
    }

    /// Whether they name this revision in any form, however far the job was.
    static func isNamed(_ revision: Int64, atAnyProgressBy values: [String]) -> Bool {
        isNamed(text(revision: revision), by: values) || values.contains { $0.contains("\"r\(revision).") }
    }
}
