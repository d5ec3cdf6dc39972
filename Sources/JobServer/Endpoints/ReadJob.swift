import HTTPMessage
import JobKit
import JobStore

/// `GET /v1/jobs/{id}`: where a job stands. The busiest read: one point read on the loop's own reader.
enum ReadJob {
    /// Shows a job, or holds the answer back until it changes.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let job = try context.job()
        let known =
            context.request.head.fields.first("if-none-match") != nil
            ? context.request.head.fields.all("if-none-match") : []
        let preferences = context.preferences
        guard let seconds = preferences.wait else {
            return answer(context, job, known: known, preferences)
        }
        if known.isEmpty {
            return JobWait.untilFinal(context, job, seconds: seconds) { job in
                answer(context, job, known: known, preferences)
            }
        }
        guard EntityTag.isNamed(job.revision, by: known) else {
            return answer(context, job, known: known, preferences)
        }
        JobWait.untilChanged(context, job, from: job.revision, seconds: seconds) { job in
            answer(context, job, known: known, preferences)
        }
    }

    private static func answer(
        _ context: RequestContext, _ job: JobRecord, known: [String], _ preferences: Preferences
    ) {
        guard !known.isEmpty, EntityTag.isNamed(job.revision, by: known) else {
            return JobAnswer.send(
                context, .ok, job, HTTPFields(), preferences, waited: preferences.wait != nil)
        }
        var fields = HTTPFields()
        fields.add("ETag", EntityTag.text(revision: job.revision))
        if let seconds = JobAnswer.retryAfter(job, now: SystemTime.now()) {
            fields.add("Retry-After", String(seconds))
        }
        if let applied = preferences.applied(waited: preferences.wait != nil) {
            fields.add("Preference-Applied", applied)
        }
        context.answer(HTTPResponse(status: .notModified, fields: fields, body: .empty))
    }
}
