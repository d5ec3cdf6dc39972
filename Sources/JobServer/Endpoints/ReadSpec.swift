import HTTPMessage
import JobStore

/// `GET /v1/jobs/{id}/spec`: the spec as it was submitted.
enum ReadSpec {
    /// Shows the spec.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.jobID()
        let found: [UInt8]?
        do { found = try context.door.reader.spec(id) } catch { throw Problem(error) }
        guard let spec = found else { throw RequestContext.unknown(id) }
        context.answer(.ok, json: spec)
    }
}
