import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// `GET /v1/schedules/{name}/occurrences`: each planned time with its job or why it has none, the latest first.
enum ListOccurrences {
    static func handle(_ context: RequestContext) throws(Problem) {
        let name = try context.name(of: .schedule)
        var query = context.query
        var wanted = OccurrenceQuery(limit: 0)
        var filters: [(name: String, value: String)] = []
        if let from = time("from", &query, &filters) { wanted.from = from }
        if let to = time("to", &query, &filters) { wanted.to = to }
        let paging = try PageRequest(of: "/v1/schedules/\(name)/occurrences", filters: filters, &query)
        if paging.place != nil {
            let before = Timestamp(milliseconds: try paging.number()).advanced(by: .milliseconds(-1))
            wanted.to = min(wanted.to, before)
        }
        try context.onReaderThread { [wanted] reader throws(Problem) in
            guard try stored(reader.schedule(name)) != nil else { throw Problem(.noSchedule(name)) }
            try paging.answer(
                context, itemBytes: 192,
                read: { (last: Occurrence?, limit: Int) throws(JobStoreError) in
                    var wanted = wanted
                    wanted.limit = limit
                    if let last { wanted.to = last.scheduledFor.advanced(by: .milliseconds(-1)) }
                    return try reader.occurrences(of: name, wanted)
                },
                token: { paging.token(behind: $0.scheduledFor.milliseconds) },
                write: { occurrence, json throws(Problem) in
                    var state: JobState?
                    if let id = occurrence.job { state = try stored(reader.job(id))?.state }
                    ScheduleBody.append(occurrence, state, to: &json)
                })
        }
    }

    private static func time(
        _ name: String, _ query: inout QueryReader, _ filters: inout [(name: String, value: String)]
    ) -> Timestamp? {
        guard let text = query.text(name) else { return nil }
        filters.append((name, text))
        do throws(TimestampTextError) { return try Timestamp.parse(text) } catch {
            query.add(name, code: "query.value", detail: error.detail)
            return nil
        }
    }
}
