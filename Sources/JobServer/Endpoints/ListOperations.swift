import HTTPMessage
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/operations`: the operations of a job with their states, in pages.
enum ListOperations {
    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let id = try context.jobID()
        let wish = try PageWish(of: "\(JobPath.text(id))/operations", &query)
        let last = try wish.path()
        try context.onReaderThread { reader throws(Problem) in
            let outline = try JobOutline(id, from: reader, context.server.journals)
            let found = outline.spots(.all, behind: last, limit: wish.size + 1)
            let page = found.prefix(wish.size)
            let views = try outline.views(of: page)
            let end = found.count > page.count ? page.last?.path : nil
            wish.answer(context, capacity: 640 * (page.count + 1), next: end.map { wish.token(behind: $0) }) {
                json in
                for view in views { OperationBody.append(view, of: id, base: context.base, to: &json) }
            }
        }
    }
}

extension PageWish {
    /// The place as the path of an operation; nil for the first page.
    func path() throws(Problem) -> [String]? {
        guard place != nil else { return nil }
        return try text().split(separator: "/").map(String.init)
    }

    /// The token of the page after an operation.
    func token(behind path: [String]) -> String { token(behind: Array(path.joined(separator: "/").utf8)) }
}
