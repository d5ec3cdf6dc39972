import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/spec`: the spec as it was submitted.
enum ReadSpec {
    /// Shows the spec.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.jobID()
        let found: [UInt8]?
        do { found = try context.door.reader.spec(id) } catch { throw Problem(error) }
        guard let spec = found else { throw RequestContext.unknown(id) }
        // What a job pinned stands in its stored spec, and was not submitted.
        guard String(decoding: spec, as: UTF8.self).contains(PinnedTemplates.member),
            let value = try? JSONParser.parse(spec)
        else { return context.answer(.ok, json: spec) }
        context.answer(.ok, json: PinnedTemplates.unpin(value).encoded() + [0x0A])
    }
}
