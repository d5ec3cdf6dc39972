import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// What a request for a list asks for.
struct ListFilter: Sendable {
    /// The question to the store.
    private(set) var query = JobListQuery()
    /// The filters and the order as text, the same for the same question; without page size and token.
    private let parameters: [(name: String, value: String)]

    /// A digest of filters and order, to hold against page tokens.
    let digest: UInt64

    /// The filter that query parameters say.
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
        switch note("order_by", reader.text("order_by")) {
        case nil, "-created_at": query.ascending = false
        case "created_at": query.ascending = true
        default:
            reader.add(
                "order_by", code: "query.value", detail: "order_by must be created_at or -created_at",
                suggestion: "-created_at")
        }
        for label in reader.all(prefix: "label.") {
            written.append(("label." + label.name, label.value))
            query.labels.append(JobSpec.Label(key: label.name, value: label.value))
        }
        let size = reader.number("page_size", from: 1, to: ListJobs.pageSizeMax) ?? ListJobs.pageSizeDefault
        query.limit = Int(size)
        let token = reader.text("page_token")
        try reader.finish()
        self.parameters = written
        digest = ListFilter.digest(of: written)
        guard let token else { return }
        guard let place = PageToken(token) else {
            throw Problem(
                .invalidPageToken, "The page_token is damaged. Take it unchanged from next_page_token.")
        }
        guard place.filters == digest else {
            throw Problem(
                .invalidPageToken,
                "The page_token belongs to other filters or another order. Send it with exactly the filters of the "
                    + "page that gave it.")
        }
        query.after = place.after
    }

    /// The address of the next page.
    func nextURL(token: String) -> String {
        let all = parameters + [("page_size", String(query.limit)), ("page_token", token)]
        return "/v1/jobs?"
            + all.map { ListFilter.encoded($0.name) + "=" + ListFilter.encoded($0.value) }.joined(
                separator: "&")
    }

    private static func digest(of parameters: [(name: String, value: String)]) -> UInt64 {
        let sorted = parameters.sorted { ($0.name, $0.value) < ($1.name, $1.value) }
        return PageToken.digest(of: sorted.map { "\($0.name)\u{0}\($0.value)\u{0}" }.joined())
    }

    private static func states(_ text: String, _ reader: inout QueryReader) -> Set<JobState> {
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

    private static func encoded(_ text: String) -> String {
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: result.append(byte)
            default: result += Array("%\(HexText.encode([byte]).uppercased())".utf8)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
