import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/operations`: every operation of a job and where it stands.
enum ListOperations {
    /// Shows all operations.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.jobID()
        try context.onReaderThread { reader throws(Problem) in
            let history = try JobHistory(id, from: reader)
            var json = JSONWriter(capacity: 512 * history.operations.count)
            json.beginObject()
            json.name("items")
            json.beginArray()
            for operation in history.operations { OperationBody.append(operation, to: &json) }
            json.endArray()
            json.endObject()
            context.answer(.ok, json: json.line())
        }
    }
}
