import JobKit
import JobSpec
import JobStore
import StrictJSON

/// The request for a bulk action: what to do, and to which jobs.
struct BulkRequest: Sendable {
    enum Action: String, Sendable, CaseIterable {
        case cancel, retry, requeue, hold, release, erase
    }

    /// The jobs that are meant.
    enum Jobs: Sendable {
        case ids([JobID])
        case filter(JobListQuery)
    }

    /// The maximum number of ids in a request.
    static let idsMax = 10_000
    /// The maximum number of jobs that a filter may match.
    static let matchesMax = 1_000_000
    static let perSecondMax: Int64 = 10_000

    var action: Action
    var jobs: Jobs
    var perSecond: Int?
    /// Recorded in the journals of the jobs, as with the single action.
    var reason: String?
    /// The number of jobs that the caller expects.
    var expectedCount: Int64?
    /// The request as it is stored.
    private(set) var stored: JSONObject

    /// Parses the body of a request.
    /// - Throws: `.invalidBody` with everything that is wrong.
    init(_ value: JSONValue) throws(Problem) {
        var body = try CommandBody(value)
        let action = Self.action(&body)
        let filter = body.value("filter")
        let ids = body.value("ids")
        let expectedCount = Self.number("expected_count", from: 0, to: .max, &body)
        let perSecond = Self.number("per_second", from: 1, to: Self.perSecondMax, &body)
        let reason = body.text("reason", bytesMax: CancelJob.reasonBytesMax)
        if let action, reason != nil, action != .cancel, action != .hold {
            body.refuse("reason", "\(action.rawValue) records no reason; cancel and hold do")
        }
        var jobs = Jobs.ids([])
        var stored = JSONObject()
        stored["action"] = action.map { .string($0.rawValue) }
        switch (filter, ids) {
        case (let filter?, nil):
            jobs = .filter(Self.query(filter, &body))
            stored["filter"] = filter
        case (nil, let ids?): jobs = .ids(Self.ids(ids, &body))
        case (nil, nil):
            body.refuse(
                "filter",
                "filter or ids must say which jobs are meant, such as {\"filter\": {\"state\": \"queued\"}}")
        case (_?, _?): body.refuse("ids", "ids and filter cannot be given together")
        }
        try body.finish()
        guard let action else { throw Problem(.invalidBody, "action is missing.") }
        stored["per_second"] = perSecond.map { .number(JSONNumber($0)) }
        stored["reason"] = reason.map { .string($0) }
        self.action = action
        self.jobs = jobs
        self.perSecond = perSecond.map { Int($0) }
        self.reason = reason
        self.expectedCount = expectedCount
        self.stored = stored
    }

    /// Parses a stored request; its ids are stored apart.
    static func readStored(_ bytes: [UInt8]) -> BulkRequest? {
        guard var object = try? JSONParser.parse(bytes).object else { return nil }
        if object["filter"] == nil { object["ids"] = .array([]) }
        return try? BulkRequest(.object(object))
    }

    // MARK: Members

    private static func action(_ body: inout CommandBody) -> Action? {
        let known = Action.allCases.map(\.rawValue)
        let value = body.value("action")
        if let action = value?.string.flatMap({ Action(rawValue: $0) }) { return action }
        body.refuse(
            "action", "action must be \(known.joined(separator: ", "))",
            suggestion: value?.string.flatMap { SpellingSuggestion.nearest(to: $0, in: known) })
        return nil
    }

    private static func number(
        _ name: String, from least: Int64, to most: Int64, _ body: inout CommandBody
    ) -> Int64? {
        guard let value = body.value(name) else { return nil }
        guard let number = value.number?.wholeInt64, number >= least, number <= most else {
            let range = most == .max ? "of at least \(least)" : "from \(least) to \(most)"
            body.refuse(name, "\(name) must be a whole number \(range)")
            return nil
        }
        return number
    }

    private static func ids(_ value: JSONValue, _ body: inout CommandBody) -> [JobID] {
        guard let array = value.array, array.count <= idsMax else {
            body.refuse("ids", "ids must be an array of at most \(idsMax) ids of jobs; a filter takes more")
            return []
        }
        var ids: [JobID] = []
        var known: Set<JobID> = []
        for (index, item) in array.enumerated() {
            guard let id = item.string.flatMap({ JobID($0) }), item.string?.utf8.count == 30 else {
                body.refuse("ids/\(index)", "it is no id of a job: \"job_\" and 26 letters and digits")
                continue
            }
            if known.insert(id).inserted { ids.append(id) }
        }
        return ids
    }

    /// The filters of the list of jobs as members: texts, `state` also as an array, and `labels` as an object.
    private static func query(_ value: JSONValue, _ body: inout CommandBody) -> JobListQuery {
        guard let object = value.object else {
            body.refuse("filter", "filter must be an object of the filters of GET /v1/jobs")
            return JobListQuery()
        }
        var parameters: [(name: String, value: String)] = []
        var isRefused = false
        for member in object.members {
            if let text = member.value.string {
                parameters.append((member.name, text))
            } else if member.name == "labels", let labels = member.value.object {
                for label in labels.members {
                    guard let text = label.value.string else {
                        body.refuse("filter/labels/\(label.name)", "the value of a label is a string")
                        continue
                    }
                    parameters.append(("label." + label.name, text))
                }
            } else if let words = member.value.array, words.allSatisfy({ $0.string != nil }) {
                parameters.append((member.name, words.compactMap(\.string).joined(separator: ",")))
            } else {
                isRefused = true
                let meant = member.value.object == nil ? nil : "labels"
                body.refuse(
                    "filter/\(member.name)",
                    meant == nil
                        ? "a filter is a string, as in the query of GET /v1/jobs"
                        : "a filter is a string, as in the query of GET /v1/jobs; only labels is an object",
                    suggestion: meant)
            }
        }
        var reader = QueryReader(parameters)
        var written: [(name: String, value: String)] = []
        let query = ListFilter.query(&reader, &written)
        do throws(Problem) { try reader.finish() } catch {
            for item in error.items {
                body.refuse("filter/\(item.place.text)", item.detail, suggestion: item.suggestion)
            }
            return query
        }
        if written.isEmpty, !isRefused {
            body.refuse(
                "filter",
                "filter must not be empty: it would mean all jobs. If these are meant, give created_to")
        }
        return query
    }
}
