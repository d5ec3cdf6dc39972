import HTTPMessage
import JobJournal
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/operations`: the operations of a job with their states, in pages.
enum ListOperations {
    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let id = try context.jobID()
        let isFull = query.isFullView()
        let wanted = query.list("state")
        let states = wanted.map { ListFilter.states($0, &query) } ?? []
        let filters = (isFull ? [("view", "full")] : []) + (wanted.map { [("state", $0)] } ?? [])
        let paging = try PageRequest(of: "\(JobPath.text(id))/operations", filters: filters, &query)
        let last = try paging.path()
        try context.onReaderThread { reader throws(Problem) in
            let outline = try JobOutline(id, from: reader, context.server.journals)
            var draft = PageDraft(size: paging.size, capacity: 640 * (min(paging.size, partMax) + 1))
            var behind = last
            var end: [String]?
            var examined = 0
            pages: while true {
                let limit = states.isEmpty ? min(paging.size - draft.count + 1, partMax) : partMax
                if !states.isEmpty, examined >= examinedMax {
                    end = behind
                    break
                }
                let spots = outline.spots(.all, behind: behind, limit: limit)
                for view in try outline.views(of: spots) {
                    if draft.isFull {
                        end = behind
                        break pages
                    }
                    behind = view.path
                    if !states.isEmpty, !states.contains(view.state) { continue }
                    try draft.add {
                        OperationBody.append(
                            view, of: id, base: context.base, isFull ? .listed : .summary, to: &$0)
                    }
                }
                examined += spots.count
                guard spots.count == limit, let last = spots.last else { break }
                behind = last.path
            }
            paging.answer(context, HTTPFields(), &draft, next: end.map { paging.token(behind: $0) })
        }
    }

    /// The most operations that a page looks at whose states may be others. It may be short, even empty, and the next
    /// one goes on behind them.
    private static let examinedMax = 2_000

    /// The most operations that are read at once, each with its result.
    private static let partMax = 51
}

extension PageRequest {
    /// The place as the path of an operation; nil for the first page.
    func path() throws(Problem) -> [String]? {
        guard place != nil else { return nil }
        return try text().split(separator: "/").map(String.init)
    }

    /// The token of the page after an operation.
    func token(behind path: [String]) -> String { token(behind: Array(path.joined(separator: "/").utf8)) }
}
