import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/spec`: the spec as submitted, or as curl command lines.
enum ReadSpec {
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let wantsScript = try Negotiation.prefers(
            ScriptBody.contentType, in: context.request.head.fields)
        let id = try context.jobID()
        let found = try stored(context.reader.spec(id))
        guard let spec = found else { throw Problem(.notFound(id)) }
        var fields = HTTPFields()
        fields.add("Vary", "Accept")
        if wantsScript { return try answerScript(context, id, fields) }
        guard StoredSpec.mayHaveMembers(spec) else { return context.answer(.ok, fields, json: spec) }
        if spec.count < LargeBodies.bytesMin { return answerSubmitted(context, spec, fields) }
        try context.onReaderThread { [fields] _ in answerSubmitted(context, spec, fields) }
    }

    private static func answerSubmitted(_ context: RequestContext, _ spec: [UInt8], _ fields: HTTPFields) {
        guard let value = try? JSONParser.parse(spec) else { return context.answer(.ok, fields, json: spec) }
        context.answer(.ok, fields, json: StoredSpec.submitted(value).encoded() + [0x0A])
    }

    private static func answerScript(
        _ context: RequestContext, _ id: JobID, _ fields: HTTPFields
    ) throws(Problem) {
        var fields = fields
        fields.add("Content-Type", "\(ScriptBody.contentType); charset=utf-8")
        try context.onReaderThread { [fields] reader throws(Problem) in
            let history = try JobHistory(id, from: reader)
            let text = CurlExport.script(for: history.spec, seed: id.description)
            context.answer(HTTPResponse(status: .ok, fields: fields, body: .bytes(Array(text.utf8))))
        }
    }
}
