import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/approvals`: pages of approvals, newest first. Read off the loop.
enum ListApprovals {
    /// Shows one page.
    static func handle(_ context: RequestContext) throws(Problem) {
        let (query, filters) = try query(context)
        try context.onReaderThread { reader throws(Problem) in
            let page: ApprovalPage
            do throws(JobStoreError) { page = try reader.approvals(query) } catch { throw Problem(error) }
            var json = JSONWriter(capacity: 1_024 * (page.approvals.count + 1))
            json.beginObject()
            json.name("items")
            json.beginArray()
            for approval in page.approvals {
                ApprovalBody.append(approval, at: query.now, base: context.base, to: &json)
            }
            json.endArray()
            if page.hasMore, let last = page.approvals.last {
                json.member(
                    "next_page_token", PageToken(after: last.request.id.bits, filters: filters).text)
            }
            json.endObject()
            context.answer(.ok, json: json.line())
        }
    }

    /// What is asked for, and a digest of the filters.
    private static func query(_ context: RequestContext) throws(Problem) -> (ApprovalQuery, UInt64) {
        var reader = context.query
        var query = ApprovalQuery(now: context.startedAt)
        let words = [reader.text("state"), reader.text("job"), reader.text("audience")]
        if let text = words[0] { query.states = states(text, &reader) }
        if let text = words[1] {
            query.job = JobID(text)
            if query.job == nil {
                reader.add("job", code: "query.value", detail: "job must be the id of a job, such as job_01…")
            }
        }
        query.audience = words[2]
        query.limit = Int(
            reader.number("page_size", from: 1, to: ListJobs.pageSizeMax) ?? ListJobs.pageSizeDefault)
        let token = reader.text("page_token")
        try reader.finish()
        let filters = PageToken.digest(
            of: "approvals\u{0}" + words.map { $0 ?? "" }.joined(separator: "\u{0}"))
        guard let token else { return (query, filters) }
        guard let place = PageToken(token), place.filters == filters else {
            throw Problem(
                .invalidPageToken,
                "The page_token is damaged or belongs to other filters. Send it with exactly the filters of the page "
                    + "that gave it.")
        }
        query.after = ApprovalID(bits: place.after)
        return (query, filters)
    }

    private static func states(_ text: String, _ reader: inout QueryReader) -> Set<ApprovalState> {
        var states: Set<ApprovalState> = []
        for word in text.split(separator: ",", omittingEmptySubsequences: false) {
            if let state = ApprovalState(rawValue: String(word)) {
                states.insert(state)
            } else {
                let known = ApprovalState.allCases.map(\.rawValue)
                reader.add(
                    "state", code: "query.value",
                    detail: "\"\(word)\" is no state; there are \(known.joined(separator: ", "))",
                    suggestion: SpellingSuggestion.nearest(to: String(word), in: known))
            }
        }
        return states
    }
}
