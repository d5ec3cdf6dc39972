import DurableJobs
import HTTPMessage
import JobJournal
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/attempts`: the attempts of a job with their HTTP exchanges.
enum ListAttempts {
    /// Answers with a page of the attempts of all operations or of the one in `?operation=`; with all of them as an
    /// HTTP Archive if the client prefers that.
    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let wanted = query.text("operation")
        let id = try context.jobID()
        let paging = try PageRequest(
            of: "\(JobPath.text(id))/attempts", filters: wanted.map { [("operation", $0)] } ?? [], &query)
        let start = try Start(paging)
        let wantsArchive = try Negotiation.prefers(HARBody.contentType, in: context.request.head.fields)
        try context.onReaderThread { reader throws(Problem) in
            guard !wantsArchive else { return try answerArchive(context, id, wanted, reader) }
            let outline = try JobOutline(id, from: reader, context.server.journals)
            var fields = HTTPFields()
            fields.add("Vary", "Accept")
            var draft = PageDraft(size: paging.size, capacity: 700 * (min(paging.size, partMax) + 1))
            let next = try fill(&draft, wanted, start, in: outline)
            paging.answer(
                context, fields, &draft,
                next: next.map { paging.token(behind: Start.place($0.path, $0.number)) }
            )
        }
    }

    /// The most operations that are read at once, each with its attempts.
    private static let partMax = 51

    /// Writes attempts until the page is full; returns the last one on it when there are more.
    private static func fill(
        _ draft: inout PageDraft, _ wanted: String?, _ start: Start, in outline: JobOutline
    ) throws(Problem) -> (path: [String], number: Int)? {
        var last: (path: [String], number: Int)?
        var behind = start
        while true {
            let spots = try spots(wanted, behind, limit: partMax, in: outline)
            for view in try outline.views(of: spots) {
                for number in OperationBody.attempts(of: view)
                where start.path != view.path || number > start.number {
                    if draft.isFull { return last }
                    try draft.add { _ = OperationBody.append(attempt: number, of: view, to: &$0) }
                    last = (view.path, number)
                }
            }
            guard wanted == nil, spots.count >= partMax, let end = spots.last?.path else { return nil }
            behind = Start(behind: end)
        }
    }

    /// The attempt that the previous page ended with.
    private struct Start {
        var path: [String]?
        var number = 0

        /// Whether the operation at `path` has no more attempts.
        var isOver = false

        /// Begins behind all attempts of an operation.
        init(behind path: [String]) {
            self.path = path
            isOver = true
        }

        init(_ paging: PageRequest) throws(Problem) {
            guard paging.place != nil else { return }
            let parts = try paging.text().split(separator: "#", omittingEmptySubsequences: false)
            guard parts.count == 2, let number = Int(parts[1]) else { throw PageRequest.damaged }
            self.number = number
            path = parts[0].split(separator: "/").map(String.init)
        }

        static func place(_ path: [String], _ number: Int) -> [UInt8] {
            Array("\(path.joined(separator: "/"))#\(number)".utf8)
        }
    }

    /// The operations whose attempts may be on the page: from the one that the previous page ended with.
    private static func spots(
        _ wanted: String?, _ start: Start, limit: Int, in outline: JobOutline
    ) throws(Problem) -> [JobOutline.Spot] {
        if let wanted { return [try select(wanted, from: outline)] }
        let first = start.isOver ? nil : start.path.flatMap { outline.spot(at: $0) }
        return (first.map { [$0] } ?? []) + outline.spots(.attempted, behind: start.path, limit: limit)
    }

    private static func answerArchive(
        _ context: RequestContext, _ id: JobID, _ wanted: String?, _ reader: any JobReader
    ) throws(Problem) {
        let history = try JobHistory(id, from: reader)
        var shown = history.operations
        if let wanted {
            let path = try select(wanted, from: JobOutline(id, from: reader, context.server.journals)).path
            shown = shown.filter { $0.path == path }
        }
        let result = try stored(reader.result(id))
        // An operator may read the jobs of tenants.
        let connections = context.server.settings.connections.scoped(to: context.tenant ?? history.job.tenant)
        let archive = HARBody(history, rootResult: result, connections: connections)
        var fields = HTTPFields()
        fields.add("Vary", "Accept")
        fields.add("Content-Type", HARBody.contentType)
        context.answer(HTTPResponse(status: .ok, fields: fields, body: .bytes(try archive.bytes(shown))))
    }

    /// The operation with this address.
    static func select(_ wanted: String, from outline: JobOutline) throws(Problem) -> JobOutline.Spot {
        if let spot = outline.spot(named: wanted) { return spot }
        var reader = QueryReader([])
        reader.add(
            "operation", code: "query.value", detail: "the job has no operation \"\(wanted)\"",
            suggestion: outline.meant(by: wanted))
        try reader.finish()
        throw Problem(.operationNotFound, "The job has no operation \"\(wanted)\".")
    }
}

extension JobOutline {
    /// The address that was probably meant by one that no operation has: without the name of the job, from which
    /// addresses do not begin, or the nearest of the first operations.
    func meant(by text: String) -> String? {
        let path = OperationAddress.path(text)
        if let first = path.first, first.hasSameBytes(as: spec.operation.name),
            let spot = spot(at: Array(path.dropFirst()))
        {
            return OperationAddress.text(of: spot.path)
        }
        let known = spots(.all, limit: 200).map { OperationAddress.text(of: $0.path) }
        return SpellingSuggestion.nearest(to: text, in: known)
    }
}
