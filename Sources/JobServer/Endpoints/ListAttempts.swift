import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/attempts`: what was tried, and what happened on the wire.
enum ListAttempts {
    /// Shows the attempts of all operations, or of the one that `?operation=` names by its path.
    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let wanted = query.text("operation")
        try query.finish()
        let id = try context.jobID()
        try context.onReaderThread { reader throws(Problem) in
            let history = try JobHistory(id, from: reader)
            let shown = try select(wanted, from: history)
            var json = JSONWriter(capacity: 1_024)
            json.beginObject()
            json.name("items")
            json.beginArray()
            for operation in shown { OperationBody.appendAttempts(of: operation, to: &json) }
            json.endArray()
            json.endObject()
            context.answer(.ok, json: json.line())
        }
    }

    /// The operation by its path below the root (`login/token`); the root by its own name.
    private static func select(_ wanted: String?, from history: JobHistory) throws(Problem) -> [OperationView]
    {
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
