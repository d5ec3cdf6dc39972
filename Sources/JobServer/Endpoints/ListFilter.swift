import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// The filters, the order and the page of a request for a list of jobs.
struct ListFilter: Sendable {
    /// The query for the store.
    private(set) var query = JobListQuery()
    let page: PageWish

    /// Parses the query parameters.
    /// - Throws: `.invalidQuery` with everything that is wrong; `.invalidPageToken`.
    init(_ parameters: QueryReader) throws(Problem) {
        var reader = parameters
        var written: [(name: String, value: String)] = []
        func note(_ name: String, _ value: String?) -> String? {
            if let value { written.append((name, value)) }
            return value
        }
        if let text = note("state", reader.text("state")) { query.states = ListFilter.states(text, &reader) }
        query.type = note("type", reader.text("type"))
        query.queue = note("queue", reader.text("queue"))
        query.name = note("name", reader.text("name"))
        query.createdFrom = ListFilter.time(
            note("created_after", reader.text("created_after")), "created_after", &reader)
        query.createdBefore = ListFilter.time(
            note("created_before", reader.text("created_before")), "created_before", &reader)
        query.finishedFrom = ListFilter.time(
            note("finished_after", reader.text("finished_after")), "finished_after", &reader)
        query.finishedBefore = ListFilter.time(
            note("finished_before", reader.text("finished_before")), "finished_before", &reader)
        ListFilter.order(&query, note("order_by", reader.text("order_by")), &reader)
        for label in reader.all(prefix: "label.") {
            written.append(("label." + label.name, label.value))
            query.labels.append(JobSpec.Label(key: label.name, value: label.value))
        }
        page = try PageWish(of: "/v1/jobs", filters: written, &reader)
        query.limit = page.size
        guard let place = page.place else { return }
        guard place.count == (query.isByFinish ? 24 : 16) else { throw PageWish.damaged }
        query.after = JobID(
            high: PageToken.number(place.prefix(8)), low: PageToken.number(place[8..<16]))
        if query.isByFinish {
            query.afterFinish = Timestamp(milliseconds: Int64(clamping: PageToken.number(place[16...])))
        }
    }

    /// The token of the page after `place`.
    func token(behind place: JobPage.Place) -> String {
        let words =
            [place.id.high, place.id.low]
            + (place.finishedAt.map { [UInt64(clamping: $0.milliseconds)] } ?? [])
        return page.token(behind: words.flatMap(PageToken.bytes))
    }

    /// Applies the requested order. A range of end times requires the order by end time.
    private static func order(_ query: inout JobListQuery, _ word: String?, _ reader: inout QueryReader) {
        let wantsEnds = query.finishedFrom != nil || query.finishedBefore != nil
        query.isByFinish = wantsEnds
        switch word {
        case nil: break
        case "-finished_at": query.isByFinish = true
        case "finished_at":
            query.isByFinish = true
            query.ascending = true
        case "-created_at" where !wantsEnds: break
        case "created_at" where !wantsEnds: query.ascending = true
        default:
            let known = ["-finished_at", "finished_at"] + (wantsEnds ? [] : ["-created_at", "created_at"])
            reader.add(
                "order_by", code: "query.value",
                detail: "order_by must be \(known.joined(separator: " or "))"
                    + (wantsEnds ? ", as finished_after and finished_before are" : ""),
                suggestion: wantsEnds ? "-finished_at" : "-created_at")
        }
    }

    static func states(_ text: String, _ reader: inout QueryReader) -> Set<JobState> {
        var states: Set<JobState> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            if let state = JobState(rawValue: String(word)) {
                states.insert(state)
            } else {
                let known = JobState.allCases.map(\.rawValue)
                reader.add(
                    "state", code: "query.value",
                    detail: "\"\(word)\" is no state; there are \(known.joined(separator: ", "))",
                    suggestion: SpellingSuggestion.nearest(to: String(word), in: known))
            }
        }
        return states
    }

    private static func time(_ text: String?, _ name: String, _ reader: inout QueryReader) -> Timestamp? {
        guard let text else { return nil }
        do throws(TimestampTextError) { return try Timestamp.parse(text) } catch {
            reader.add(name, code: "query.value", detail: "\(name): \(error.detail)")
            return nil
        }
    }
}
