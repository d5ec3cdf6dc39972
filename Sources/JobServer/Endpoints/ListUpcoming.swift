import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// `GET /v1/schedules/{name}/upcoming`: the next planned times of a schedule, those of a paused one, too.
enum ListUpcoming {
    /// The maximum number of planned times.
    private static let most: Int64 = 100

    static func handle(_ context: RequestContext) throws(Problem) {
        let name = try context.name(of: "schedule", else: .scheduleNotFound)
        var query = context.query
        var count = Int(query.number("limit", from: 1, to: most) ?? Int64(ScheduleBody.previewMax))
        try query.finish()
        let record = try ScheduleEdit.known(try ScheduleEdit.record(name, context), name)
        let spec = try ScheduleEdit.spec(of: record)
        if let runsMax = spec.runsMax { count = min(count, runsMax - record.progress.runs) }
        if record.progress.next == nil { count = 0 }
        var json = JSONWriter(capacity: 2_048)
        json.beginObject()
        json.name("items")
        ScheduleBody.append(
            SchedulePreview(of: spec.plan, after: context.startedAt, count: count), to: &json)
        json.endObject()
        context.answer(.ok, json: json.line())
    }
}
