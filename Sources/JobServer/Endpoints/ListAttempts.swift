import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/attempts`: what was tried, and what happened on the wire.
enum ListAttempts {
    /// Shows the attempts of all operations, or of the one that `?operation=` names by its path; as an HTTP Archive
    /// when that is what is wanted.
    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let wanted = query.text("operation")
        try query.finish()
        let wantsArchive = try Negotiation.prefers(HARBody.contentType, in: context.request.head.fields)
        let id = try context.jobID()
        try context.onReaderThread { reader throws(Problem) in
            let history = try JobHistory(id, from: reader)
            let shown = try select(wanted, from: history)
            var fields = HTTPFields()
            fields.add("Vary", "Accept")
            guard wantsArchive else { return context.answer(.ok, fields, json: list(shown)) }
            let result: OperationResult?
            do throws(JobStoreError) { result = try reader.result(id) } catch { throw Problem(error) }
            fields.add("Content-Type", HARBody.contentType)
            let archive = HARBody(
                history, rootResult: result, connections: context.server.connections)
            let body = archive.bytes(shown)
            context.answer(HTTPResponse(status: .ok, fields: fields, body: .bytes(body)))
        }
    }

    private static func list(_ shown: [OperationView]) -> [UInt8] {
        var json = JSONWriter(capacity: 1_024)
        json.beginObject()
        json.name("items")
        json.beginArray()
        for operation in shown { OperationBody.appendAttempts(of: operation, to: &json) }
        json.endArray()
        json.endObject()
        return json.line()
    }

    /// The operation by its path below the root (`login/token`); the root by its own name.
    static func select(_ wanted: String?, from history: JobHistory) throws(Problem) -> [OperationView] {
        guard let wanted else { return history.operations }
        let found = history.operations.filter { OperationBody.path(of: $0) == wanted }
        guard found.isEmpty else { return found }
        let known = history.operations.map(OperationBody.path)
        var reader = QueryReader([])
        reader.add(
            "operation", code: "query.value", detail: "the job has no operation \"\(wanted)\"",
            suggestion: SpellingSuggestion.nearest(to: wanted, in: known))
        try reader.finish()
        return []
    }
}
