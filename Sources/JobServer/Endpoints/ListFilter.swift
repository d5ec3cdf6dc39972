import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// The filters, the order and the page of a request for a list of jobs.
struct ListFilter: Sendable {
    /// The query for the store.
    private(set) var query: JobListQuery
    let page: PageRequest
    /// Whether jobs are shown with their results and errors.
    let isFull: Bool

    /// Parses the query parameters.
    /// - Throws: `.invalidQuery` with everything that is wrong; `.invalidPageToken`.
    init(_ parameters: QueryReader) throws(Problem) {
        var reader = parameters
        var written: [(name: String, value: String)] = []
        query = ListFilter.query(&reader, &written)
        let order = reader.text("order_by")
        if let order { written.append(("order_by", order)) }
        ListFilter.order(&query, order, &reader)
        isFull = reader.isFullView()
        if isFull { written.append(("view", "full")) }
        page = try PageRequest(of: "/v1/jobs", filters: written, &reader)
        query.limit = page.size
        query.bytesMax = PageDraft.bytesMax
        guard let place = page.place else { return }
        guard place.count == (query.isByFinish ? 24 : 16) else { throw PageRequest.damaged }
        query.after = JobID(
            high: PageToken.number(place.prefix(8)), low: PageToken.number(place[8..<16]))
        if query.isByFinish {
            query.afterFinish = Timestamp(milliseconds: Int64(clamping: PageToken.number(place[16...])))
        }
    }

    /// Takes the filters from the parameters, without the order and the page.
    /// - Parameter written: the filters that are given.
    static func query(
        _ reader: inout QueryReader, _ written: inout [(name: String, value: String)]
    ) -> JobListQuery {
        var query = JobListQuery()
        func take(_ name: String) -> String? {
            guard let value = reader.text(name) else { return nil }
            written.append((name, value))
            return value
        }
        if let text = reader.list("state") {
            written.append(("state", text))
            query.states = states(text, &reader)
        }
        query.type = take("type")
        query.queue = take("queue")
        query.name = take("name")
        query.queueKey = take("queue_key")
        query.errorCode = take("error.code")
        query.call.host = take("host").map { $0.lowercased() }
        query.call.method = take("method")
        if let prefix = take("url_prefix") { urlPrefix(prefix, &query.call, &reader) }
        query.call.status = take("status").flatMap { status($0, &reader) }
        query.waitKind = take("waiting_on.kind").flatMap { waitKind($0, &reader) }
        query.origins = take("origin").map(origins) ?? []
        query.namePrefix = take("name_prefix")
        query.ids = take("id_prefix").flatMap { ids($0, &reader) }
        query.createdFrom = time(take("created_from"), "created_from", &reader)
        query.createdBefore = time(take("created_to"), "created_to", &reader).map(behind)
        query.finishedFrom = time(take("finished_from"), "finished_from", &reader)
        query.finishedBefore = time(take("finished_to"), "finished_to", &reader).map(behind)
        query.isByFinish = query.finishedFrom != nil || query.finishedBefore != nil
        if let schedule = take("schedule") {
            query.labels.append(JobSpec.Label(key: ScheduleSpec.label, value: schedule))
        }
        for label in reader.all(prefix: "label.") {
            written.append(("label." + label.name, label.value))
            query.labels.append(JobSpec.Label(key: label.name, value: label.value))
        }
        let labelsMax = SpecLimits.standard.labelsMax
        if query.labels.count > labelsMax {
            reader.add(
                "labels", code: "query.value",
                detail: "a job has at most \(labelsMax) labels; the filter names \(query.labels.count)")
            query.labels = []
        }
        return query
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
        let wantsEnds = query.isByFinish
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
                    + (wantsEnds ? ", as finished_from and finished_to are" : ""),
                suggestion: word.flatMap { SpellingSuggestion.nearest(to: $0, in: known) }
                    ?? (wantsEnds ? "-finished_at" : "-created_at"))
        }
    }

    static func states(_ text: String, _ reader: inout QueryReader) -> Set<JobState> {
        var states: Set<JobState> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            if let state = JobState(rawValue: String(word)) {
                states.insert(state)
            } else {
                guard !reader.isFull else { break }
                let known = JobState.allCases.map(\.rawValue)
                reader.add(
                    "state", code: "query.value",
                    detail: "\"\(word)\" is no state; there are \(known.joined(separator: ", "))",
                    suggestion: FamiliarQuery.value(String(word), in: known))
            }
        }
        return states
    }

    private static func waitKind(_ text: String, _ reader: inout QueryReader) -> WaitKinds? {
        if let kind = WaitKinds.named.first(where: { $0.key == text })?.value { return kind }
        let known = WaitKinds.named.map(\.key)
        reader.add(
            "waiting_on.kind", code: "query.value",
            detail: "\"\(text)\" is no kind of wait; there are \(known.joined(separator: ", "))",
            suggestion: FamiliarQuery.value(text, in: known))
        return nil
    }

    /// Takes the beginning of a URL, whose host is a filter, too: there is an index of hosts.
    private static func urlPrefix(
        _ text: String, _ call: inout JobListQuery.CallFilter, _ reader: inout QueryReader
    ) {
        guard let host = JobDetail.Call.host(of: text) else {
            return reader.add(
                "url_prefix", code: "query.value",
                detail: "url_prefix must begin with scheme and host, such as https://api.example.com/v2/")
        }
        call.urlPrefix = text
        if let other = call.host, !other.hasSameBytes(as: host) {
            reader.add(
                "host", code: "query.value", detail: "host differs from the host of url_prefix, \(host)",
                suggestion: host)
        }
        call.host = host
    }

    private static func status(_ text: String, _ reader: inout QueryReader) -> Int? {
        if let status = Int(text), (100...599).contains(status) { return status }
        reader.add(
            "status", code: "query.value",
            detail: "status must be the status of an answer, from 100 to 599, such as 500; a job has a state",
            suggestion: text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? nil : "state")
        return nil
    }

    /// The origins of a name: a host with or without a port, or an origin as in `waiting_on`.
    private static func origins(_ text: String) -> [String] {
        let name = text.lowercased()
        return name.contains("://") ? [name] : ["https://\(name)", "http://\(name)"]
    }

    /// The ids that begin with a text.
    private static func ids(_ text: String, _ reader: inout QueryReader) -> ClosedRange<JobID>? {
        let missing = max(0, 30 - text.utf8.count)
        let isWhole = text.utf8.count > 4 && text.utf8.count <= 30
        guard isWhole, let first = JobID(text + String(repeating: "0", count: missing)),
            let last = JobID(text + String(repeating: "z", count: missing))
        else {
            reader.add(
                "id_prefix", code: "query.value",
                detail:
                    "id_prefix must be the beginning of an id: \"job_\" and at least one of its characters")
            return nil
        }
        return first...last
    }

    /// The first time that a range up to `end`, inclusive, does not have.
    private static func behind(_ end: Timestamp) -> Timestamp { end.advanced(by: .milliseconds(1)) }

    private static func time(_ text: String?, _ name: String, _ reader: inout QueryReader) -> Timestamp? {
        guard let text else { return nil }
        do throws(TimestampTextError) { return try Timestamp.parse(text) } catch {
            reader.add(name, code: "query.value", detail: "\(name): \(error.detail)")
            return nil
        }
    }
}
