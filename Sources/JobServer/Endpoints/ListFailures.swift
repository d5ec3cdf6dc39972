import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/failures`: the ends that failed or expired, in groups that are alike. Read off the loop.
enum ListFailures {
    private static let (groupsDefault, groupsMax): (Int64, Int64) = (20, 100)
    /// The longest answer of an upstream that is shown, in bytes.
    private static let messageBytesMax = 300
    /// The most jobs that are looked up for each group, and for all.
    private static let (looksMax, looksInAllMax) = (StatsBin.Group.jobsMax, 200)

    /// The groups that are wanted.
    private struct Filter {
        var code, host, name: String?

        func shows(_ key: FailureKey) -> Bool {
            (code.map { $0.hasSameBytes(as: key.code) } ?? true)
                && (host.map { $0.hasSameBytes(as: key.host) } ?? true)
                && (name.map { $0.hasSameBytes(as: key.name) } ?? true)
        }

        var isEmpty: Bool { code == nil && host == nil && name == nil }
    }

    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let range = StatsRange(&query, now: context.startedAt)
        let filter = Filter(code: query.text("code"), host: query.text("host"), name: query.text("name"))
        let limit = query.number("limit", from: 1, to: groupsMax) ?? groupsDefault
        try query.finish()
        try context.onReaderThread { reader throws(Problem) in
            let points = try stored(
                reader.stats(by: .failure, range.step, of: nil, from: range.from, before: range.to))
            let series = StatsSeries(
                points, in: range, limit: Int(limit),
                shows: filter.isEmpty ? nil : { filter.shows(FailureKey($0.text)) })
            let other = series.rest
            var json = JSONWriter(capacity: 1_024 + Int(range.count) * 8)
            json.beginObject()
            range.append(to: &json)
            json.member("count", series.groups.reduce(other.sum.count) { $0 + $1.line.sum.count })
            json.name("groups")
            json.beginArray()
            var looks = looksInAllMax
            for (value, line) in series.groups {
                try append(FailureKey(value.text), line, range, reader, &looks, to: &json)
            }
            json.endArray()
            if other.sum.count > 0 {
                json.name("other")
                json.beginObject()
                json.member("count", other.sum.count)
                StatsBody.append("counts", other.counts, to: &json)
                json.endObject()
            }
            json.endObject()
            context.answer(.ok, json: json.line())
        }
    }

    private static func append(
        _ key: FailureKey, _ line: StatsSeries.Line, _ range: StatsRange, _ reader: any JobReader,
        _ looks: inout Int, to json: inout JSONWriter
    ) throws(Problem) {
        json.beginObject()
        json.member("code", key.code)
        if !key.host.isEmpty { json.member("host", key.host) }
        json.member("name", key.name)
        json.member("count", line.sum.count)
        if let time = line.sum.firstAt { json.member("first_at", time) }
        if let time = line.sum.lastAt { json.member("last_at", time) }
        StatsBody.append("counts", line.counts, to: &json)
        json.member("jobs", line.sum.jobs.map(\.description))
        for id in line.sum.jobs.prefix(looksMax) where looks > 0 {
            looks -= 1
            // It may have been erased, or retried.
            guard let job = try stored(reader.job(id)), let error = job.detail.values.errors.first,
                job.endCode != nil
            else { continue }
            append(newest: job, error, to: &json)
            break
        }
        append(retryOf: key, range, to: &json)
        json.endObject()
    }

    private static func append(newest job: JobRecord, _ error: AOperationError, to json: inout JSONWriter) {
        json.name("newest")
        json.beginObject()
        json.member("job", job.id.description)
        json.member("title", error.title)
        json.member("detail", error.short.detail)
        if let status = error.upstream?.status { json.member("status", status) }
        if let call = job.detail.values.call {
            json.member("method", call.method)
            json.member("url", call.url)
        }
        if let text = error.upstream?.bodyExcerpt, !text.isEmpty {
            json.member("message", text.beginning(messageBytesMax))
        }
        json.endObject()
    }

    /// Appends the body of a bulk action that retries the jobs of a group.
    private static func append(retryOf key: FailureKey, _ range: StatsRange, to json: inout JSONWriter) {
        json.name("retry")
        json.beginObject()
        json.member("action", "retry")
        json.name("filter")
        json.beginObject()
        json.member("state", "failed,expired")
        if !key.code.isEmpty { json.member("error.code", key.code) }
        json.member("host", key.host)
        json.member("name", key.name)
        json.member("finished_from", range.from)
        // The filter has the end of its range, too.
        json.member("finished_to", Timestamp(milliseconds: range.to.milliseconds - 1))
        json.endObject()
        json.endObject()
    }
}
