import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}`: one job. The most frequent read: cached bytes, or one point read on the loop's own reader.
enum ReadJob {
    /// Answers with the job, at once or when it changes.
    static func handle(_ context: RequestContext) throws(Problem) {
        let isFull = try isFull(context)
        let id = try context.jobID()
        let preferences = context.preferences
        let known =
            context.request.head.fields.first("if-none-match") != nil
            ? context.request.head.fields.all("if-none-match") : []
        if !isFull, known.isEmpty, preferences == Preferences() { return try answerPlainly(context, id) }
        let job = try context.job(id)
        guard let seconds = preferences.wait else {
            return answer(context, job, known: known, preferences, isFull)
        }
        if known.isEmpty {
            return JobWait.until({ $0.isFinal }, context, job, seconds: seconds, reads: isFull) { job in
                answer(context, job, known: known, preferences, isFull)
            }
        }
        // A long poll waits for a change of state; changes of progress alone do not end it.
        guard EntityTag.isNamed(job.revision, atAnyProgressBy: known) else {
            return answer(context, job, known: known, preferences, isFull)
        }
        JobWait.untilChanged(context, job, seconds: seconds, reads: isFull) { job in
            answer(context, job, known: known, preferences, isFull)
        }
    }

    /// Answers a request without options: usually from the cache.
    private static func answerPlainly(_ context: RequestContext, _ id: JobID) throws(Problem) {
        guard context.tenant == nil else {
            return JobAnswer.send(context, .ok, try context.job(id), HTTPFields(), waited: false)
        }
        let cache = context.server.news.statuses
        switch cache.look(for: id) {
        case .found(let shown):
            JobAnswer.send(context, shown)
        case .ended(let job, let ticket):
            answer(context, job, keeping: ticket)
        case .missed(let ticket):
            let job = try context.job(id)
            guard job.state != .running else {
                // Progress changes without a commit, so the answer is not cached.
                return JobAnswer.send(context, .ok, job, HTTPFields(), waited: false)
            }
            answer(context, job, keeping: ticket)
        }
    }

    private static func answer(
        _ context: RequestContext, _ job: JobRecord, keeping ticket: StatusCache.Ticket
    ) {
        let shown = ShownJob(job)
        context.server.news.statuses.keep(shown, ticket)
        JobAnswer.send(context, shown)
    }

    private static func isFull(_ context: RequestContext) throws(Problem) -> Bool {
        guard context.request.head.target.queryBytes != nil else { return false }
        var query = context.query
        let isFull = query.isFullView()
        try query.finish()
        return isFull
    }

    /// The members of the full view; none when the job has been erased meanwhile.
    private static func extras(_ spec: [UInt8]?, _ job: JobRecord) throws(Problem) -> [UInt8] {
        guard let spec else { return [] }
        return JobExtras.full(try JobHistory.spec(of: job, spec, adding: []))
    }

    private static func answer(
        _ context: RequestContext, _ job: JobRecord, known: [String], _ preferences: Preferences,
        _ isFull: Bool
    ) {
        @Sendable func send(_ spec: [UInt8]?) {
            JobAnswer.send(
                context, .ok, job, HTTPFields(), preferences, waited: preferences.wait != nil, known: known,
                extras: try extras(spec, job))
        }
        guard isFull else { return send(nil) }
        context.attempt { () throws(Problem) in
            let spec = try stored(context.reader.spec(job.id))
            // To read a large spec would hold the loop for too long.
            guard let spec, spec.count >= LargeBodies.bytesMin else { return send(spec) }
            try context.onReaderThread { _ in send(spec) }
        }
    }
}
