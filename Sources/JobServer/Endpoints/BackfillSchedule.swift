import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// `POST /v1/schedules/{name}:backfill`: makes jobs for planned times of the past, a few at a time.
enum BackfillSchedule {
    /// The maximum number of planned times that `validate_only` lists.
    private static let shownMax = 100

    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let validatesOnly = query.flag("validate_only")
        try query.finish()
        let name = try context.name(of: .schedule)
        let backfill = try self.backfill(context)
        let survey = BackfillSurvey(backfill, listing: validatesOnly ? shownMax : 0)
        try BackfillRange(context: context, name: name).look(survey) { survey throws(Problem) in
            if validatesOnly { return answer(context, survey) }
            context.goOn { () throws(Problem) in try begin(backfill, name, context) }
        }
    }

    private static func begin(
        _ backfill: ScheduleProgress.Backfill, _ name: String, _ context: RequestContext
    ) throws(Problem) {
        try ScheduleEdit(context: context, name: name) { record, _ throws(Problem) in
            let known = try ScheduleEdit.known(record, name)
            if known.progress.backfill != nil {
                throw Problem(.backfillActive, "A backfill of the schedule \(name) is in progress.")
            }
            var changed = known
            changed.progress.backfill = backfill
            changed.progress.wakeAt = min(changed.progress.wakeAt ?? .never, SystemTime.now())
            return ScheduleChange(of: known.revision, to: changed)
        } done: { receipt throws(Problem) in
            context.server.log.write(.info, "schedule_backfill") { line in
                line.member("schedule", name)
                line.member("by", by: context.caller.by)
            }
            Schedules.answer(context, receipt.record, .accepted)
        }.run()
    }

    private static func backfill(_ context: RequestContext) throws(Problem) -> ScheduleProgress.Backfill {
        var body = try CommandBody(context.request)
        let from = time("from", &body)
        let to = time("to", &body) ?? context.startedAt
        var only = ScheduleProgress.Backfill.Only.missing
        if let value = body.value("only") {
            if let word = value.string.flatMap({ ScheduleProgress.Backfill.Only(rawValue: $0) }) {
                only = word
            } else {
                body.refuse("only", "only is \"missing\", \"failed\" or \"all\"")
            }
        }
        var concurrency = 1
        if let value = body.value("concurrency") {
            if let number = value.number?.wholeInt64, (1...100).contains(number) {
                concurrency = Int(number)
            } else {
                body.refuse("concurrency", "concurrency is a whole number from 1 to 100")
            }
        }
        if let from, only != .all, from < context.startedAt.advanced(by: .zero - ScheduleTurn.keep) {
            body.refuse(
                "from",
                "from is at most 30 days ago, unless only is \"all\": the outcomes of earlier planned times "
                    + "are not kept, so that it is not known which of them had a job and which failed")
        }
        if from == nil { body.refuse("from", "from is the first time, such as \"2026-11-21T00:00:00Z\"") }
        if let from, to < from { body.refuse("to", "to is not before from") }
        if to > context.startedAt {
            body.refuse("to", "to is not in the future: later times have not come yet")
        }
        try body.finish()
        return ScheduleProgress.Backfill(
            from: from ?? to, to: to, only: only, concurrency: concurrency, startedAt: context.startedAt,
            startedBy: context.caller.by)
    }

    private static func time(_ name: String, _ body: inout CommandBody) -> Timestamp? {
        guard let text = body.text(name, bytesMax: 40) else { return nil }
        do throws(TimestampTextError) { return try Timestamp.parse(text) } catch {
            body.refuse(name, error.detail)
            return nil
        }
    }

    /// Answers with the planned times that would get a job.
    private static func answer(_ context: RequestContext, _ survey: BackfillSurvey) {
        var json = JSONWriter()
        json.beginObject()
        json.name("times")
        json.beginArray()
        for time in survey.times { json.value(time.description) }
        json.endArray()
        json.member("has_more", survey.hasMore)
        json.endObject()
        context.answer(.ok, json: json.line())
    }
}
