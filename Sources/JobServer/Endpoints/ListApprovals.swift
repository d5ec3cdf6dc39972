import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/approvals`: pages of approvals, newest first. Read off the loop.
enum ListApprovals {
    static func handle(_ context: RequestContext) throws(Problem) {
        let (query, paging) = try query(context)
        try context.onReaderThread { reader throws(Problem) in
            try paging.answer(
                context, itemBytes: 1_024,
                read: { (last: ApprovalRecord?, limit: Int) throws(JobStoreError) in
                    var query = query
                    query.limit = limit
                    if let last { query.after = last.request.id }
                    return try reader.approvals(query).approvals
                },
                token: { paging.token(behind: $0.request.id) },
                write: { ApprovalBody.append($0, at: query.now, base: context.base, to: &$1) })
        }
    }

    private static func query(_ context: RequestContext) throws(Problem) -> (ApprovalQuery, PageRequest) {
        var reader = context.query
        var query = ApprovalQuery(now: context.startedAt)
        let words = [reader.list("state"), reader.text("job_id"), reader.text("audience")]
        if let text = words[0] { query.states = states(text, &reader) }
        if let text = words[1] {
            query.job = JobID(text)
            if query.job == nil {
                reader.add(
                    "job_id", code: "query.value",
                    detail: "job_id must be the id of a job, such as job_01…")
            }
        }
        query.audience = words[2]
        let filters = zip(["state", "job_id", "audience"], words).compactMap { name, word in
            word.map { (name: name, value: $0) }
        }
        let paging = try PageRequest(of: "/v1/approvals", filters: filters, &reader)
        query.limit = paging.size
        query.after = try paging.id()
        return (query, paging)
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
                    suggestion: FamiliarQuery.value(String(word), in: known))
            }
        }
        return states
    }
}
