import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// `GET /v1/schedules/{name}/upcoming`: the next planned times of a schedule, those of a paused one, too. The list has
/// no end where the schedule has none.
enum ListUpcoming {
    static func handle(_ context: RequestContext) throws(Problem) {
        let name = try context.name(of: .schedule)
        var query = context.query
        let paging = try PageRequest(of: "/v1/schedules/\(name)/upcoming", &query)
        let record = try ScheduleEdit.known(try ScheduleEdit.record(name, context), name)
        let spec = try ScheduleEdit.spec(of: record)
        let place = try Place(paging)
        let preview = ScheduleBody.upcoming(
            spec, record.progress, at: context.startedAt, after: place?.last, passed: place?.count ?? 0,
            count: paging.size + 1)
        var count = place?.count ?? 0
        try paging.answer(
            context, of: preview.entries, itemBytes: 160,
            token: { entry in paging.token(behind: Place(last: entry.slot.at, count: count).bytes) },
            extras: { if preview.isPaused { $0.member("paused", true) } },
            write: { entry, json throws(Problem) in
                if !entry.slot.isExcluded { count += 1 }
                ScheduleBody.append(entry, to: &json)
            })
    }

    /// The last planned time of a page, and the number of jobs up to there.
    private struct Place {
        let last: Timestamp
        let count: Int

        init(last: Timestamp, count: Int) {
            self.last = last
            self.count = count
        }

        init?(_ paging: PageRequest) throws(Problem) {
            guard let bytes = paging.place else { return nil }
            guard bytes.count == 16, let last = Int64(exactly: PageToken.number(bytes.prefix(8))),
                let count = Int(exactly: PageToken.number(bytes[8...]))
            else { throw PageRequest.damaged }
            (self.last, self.count) = (Timestamp(milliseconds: last), count)
        }

        var bytes: [UInt8] {
            PageToken.bytes(UInt64(clamping: last.milliseconds)) + PageToken.bytes(UInt64(clamping: count))
        }
    }
}
