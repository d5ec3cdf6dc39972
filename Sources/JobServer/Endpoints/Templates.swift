import DurableJobs
import HTTPMessage
import JobSpec
import JobStore
import StrictJSON

/// `/v1/templates`: parametrized operations that specs use by name. A stored version never changes.
enum Templates {
    /// `PUT /v1/templates/{name}`: 201 with a new version, 200 when the newest is identical.
    static func put(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: .template)
        let value = try context.request.json()
        let book = TemplateBook(context.reader)
        let read = TemplateReader.read(
            value, name: name, now: context.startedAt, egress: context.server.egress,
            kinds: context.server.kinds, templates: book.lookup)
        if case .failure(let problems) = read {
            throw book.failure.map { Problem($0) } ?? SpecBody.problem(problems)
        }
        let record = TemplateRecord(
            name: name, body: CanonicalJSON.encode(value), createdAt: context.startedAt,
            createdBy: context.caller.by)
        context.auditedStore.perform(TemplateDraft(record)) { result in
            context.goOn { () throws(Problem) in
                let receipt = try stored(result.get())
                var fields = HTTPFields()
                fields.add(
                    "Location", "\(context.base)/v1/templates/\(name)?version=\(receipt.template.version)")
                context.answer(
                    receipt.isNew ? .created : .ok, fields, json: bytes(receipt.template, versions: nil))
            }
        }
    }

    /// `GET /v1/templates`: the newest version of each.
    static func list(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let paging = try PageRequest(of: "/v1/templates", &query)
        try context.onReaderThread { reader throws(Problem) in
            let templates = try stored(reader.templates())
            try paging.answer(context, named: templates, itemBytes: 256, name: { $0.name }) {
                template, json in
                json.beginObject()
                head(template, &json)
                json.endObject()
            }
        }
    }

    /// `GET /v1/templates/{name}`: the newest version, or the one in `?version=`.
    static func read(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let version = query.number("version", from: 1, to: .max)
        try query.finish()
        let name = try context.name(of: .template)
        let reader = context.reader
        guard let template = try stored(reader.template(name, version: version)),
            let newest = try stored(reader.template(name, version: nil))
        else { throw Problem(.noTemplate(name)) }
        context.answer(.ok, json: bytes(template, versions: newest.version))
    }

    /// `DELETE /v1/templates/{name}`: frees the name; jobs that use the template go on.
    static func delete(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: .template)
        context.auditedStore.perform(TemplateRemoval(name)) { result in
            context.goOn { () throws(Problem) in
                try stored(result.get())
                context.answer(HTTPResponse(status: .noContent))
            }
        }
    }

    /// `POST /v1/templates/{name}:run`: submits a job of this template with these `params`.
    static func run(_ context: RequestContext) throws(Problem) {
        let name = try context.name(of: .template)
        let value = context.request.body.isEmpty ? JSONValue.object(JSONObject()) : try context.request.json()
        guard case .object(var object) = value, object["type"] == nil, object["template"] == nil else {
            throw Problem(
                .invalidBody,
                "The body is an object with params and members of a job such as queue; type and template are known."
            )
        }
        object["template"] = .string(name)
        if object["name"] == nil { object["name"] = .string(name) }
        try SubmitJob.submit(context, JSONValue.object(object).encoded())
    }

    private static func head(_ template: TemplateRecord, _ json: inout JSONWriter) {
        json.member("name", template.name)
        json.member("version", template.version)
        json.member("created_at", template.createdAt)
        json.member("created_by", by: template.createdBy)
    }

    private static func bytes(_ template: TemplateRecord, versions: Int64?) -> [UInt8] {
        var json = JSONWriter(capacity: 512 + template.body.count)
        json.beginObject()
        head(template, &json)
        if let versions { json.member("newest_version", versions) }
        json.name("template")
        json.raw(template.body)
        json.endObject()
        return json.line()
    }
}
