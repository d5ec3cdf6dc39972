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
        let body = try NamedBody(context, name, state: ["newest_version"])
        _ = try body.read { value throws(Problem) in
            try SpecBody.taken { () throws(Intake.Refusal) in
                try context.intake.template(value, name, context.reader, now: context.startedAt)
            }
        }
        let now = try stored(context.reader.template(name, version: nil))?.version ?? 0
        let record = TemplateRecord(
            name: name, body: CanonicalJSON.encode(body.spec), createdAt: context.startedAt,
            createdBy: context.caller.by)
        let draft = TemplateDraft(record, ifVersion: try body.expected(of: name, now: now))
        context.auditedStore.perform(draft) { result in
            context.goOn { () throws(Problem) in
                let receipt = try stored(result.get())
                let template = receipt.template
                var fields = HTTPFields()
                fields.add("Location", "\(context.base)/v1/templates/\(name)?version=\(template.version)")
                answer(context, template, newest: template.version, receipt.isNew ? .created : .ok, fields)
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
                NamedHead(template, withSpec: false).write(to: &json)
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
        answer(context, template, newest: newest.version, .ok)
    }

    /// `DELETE /v1/templates/{name}`: frees the name; jobs that use the template go on.
    static func delete(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: .template)
        let condition = try VersionCondition(context.request.head.fields)
        var removal = TemplateRemoval(name)
        if let newest = try stored(context.reader.template(name, version: nil)) {
            removal.ifVersion = try condition.version(of: name, now: newest.version)
        }
        context.auditedStore.perform(removal) { result in
            context.goOn { () throws(Problem) in
                try stored(result.get())
                context.answer(HTTPResponse(status: .noContent))
            }
        }
    }

    private static func answer(
        _ context: RequestContext, _ template: TemplateRecord, newest: Int64, _ status: HTTPStatus,
        _ fields: HTTPFields = HTTPFields()
    ) {
        var fields = fields
        fields.add("ETag", VersionCondition.tag(template.version))
        var json = JSONWriter(capacity: 512 + template.body.count)
        NamedHead(template, withSpec: true).write(to: &json) { $0.member("newest_version", newest) }
        context.answer(status, fields, json: json.line())
    }
}
