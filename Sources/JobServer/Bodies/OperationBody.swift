import JobKit
import StrictJSON

/// Operations and their attempts as JSON.
enum OperationBody {
    /// The names below the root with slashes between; the root's own name for the root.
    static func path(of operation: OperationView) -> String {
        operation.path.isEmpty ? operation.name : operation.path.joined(separator: "/")
    }

    /// Appends one operation.
    static func append(_ operation: OperationView, to json: inout JSONWriter) {
        json.beginObject()
        json.member("name", operation.name)
        json.member("path", path(of: operation))
        json.member("depth", operation.path.count)
        json.member("type", operation.type)
        json.member("state", operation.state.rawValue)
        json.member("attempt", operation.attempt)
        if let time = operation.startedAt { json.member("started_at", time) }
        if let time = operation.finishedAt { json.member("finished_at", time) }
        if let wait = operation.wait {
            json.member("waiting_for", wait.name)
            if let time = operation.waitingSince { json.member("waiting_since", time) }
            if let time = wait.until { json.member("waiting_until", time) }
        }
        if let result = operation.result { appendSummary(of: result, to: &json) }
        if let error = operation.errors.first {
            json.name("error")
            error.write(to: &json)
            json.name("errors")
            AOperationError.write(operation.errors, to: &json)
        }
        json.endObject()
    }

    /// Appends all attempts of one operation, each with the operation it belongs to.
    static func appendAttempts(of operation: OperationView, to json: inout JSONWriter) {
        for attempt in operation.attempts {
            json.beginObject()
            json.member("operation", path(of: operation))
            json.name("attempt")
            attempt.write(to: &json)
            json.endObject()
        }
        guard let open = operation.openAttempt else { return }
        json.beginObject()
        json.member("operation", path(of: operation))
        json.name("attempt")
        json.beginObject()
        json.member("number", open.number)
        json.member("outcome", "running")
        json.member("started_at", open.startedAt)
        json.member("method", open.method)
        json.member("url", open.url)
        json.endObject()
        json.endObject()
    }

    private static func appendSummary(of result: OperationResult, to json: inout JSONWriter) {
        json.name("result")
        json.beginObject()
        if let status = result.status { json.member("status", status) }
        if let type = result.contentType { json.member("content_type", type) }
        json.member("bytes", result.body.count)
        json.endObject()
    }
}
