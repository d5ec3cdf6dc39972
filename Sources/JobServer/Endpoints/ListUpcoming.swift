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
        let name = try context.name(of: .schedule)
        var query = context.query
        let count = Int(query.number("limit", from: 1, to: most) ?? Int64(ScheduleBody.previewMax))
        try query.finish()
        let record = try ScheduleEdit.known(try ScheduleEdit.record(name, context), name)
        let spec = try ScheduleEdit.spec(of: record)
        var json = JSONWriter(capacity: 2_048)
        json.beginObject()
        let upcoming = ScheduleBody.upcoming(spec, record.progress, at: context.startedAt, count: count)
        ScheduleBody.append(upcoming, as: "items", to: &json)
        json.endObject()
        context.answer(.ok, json: json.line())
    }
}
