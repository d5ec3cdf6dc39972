import DurableJobs
import HTTPMessage
import JobKit
import JobRunner
import JobSpec
import JobStore
import StrictJSON

/// The limits of the calls to a host, beside the pauses and failures that are learned from calls.
enum OriginSettings {
    /// `PUT /v1/origins/{host}`: 201 for new limits, else 200.
    static func put(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let validatesOnly = query.flag("validate_only")
        let name = try OriginName(context, &query)
        let expected = try VersionCondition(context.request.head.fields)
        let value = try context.request.json()
        if case .failure(let problems) = LimitReader.read(value, of: "An origin") {
            throw SpecBody.problem(problems)
        }
        let book = context.server.origins
        let version = try expected.version(of: name.setting, now: book.record(name.setting)?.version ?? 0)
        if validatesOnly { return context.answer(.ok, json: VersionCondition.valid("limits", value)) }
        book.cache.put(
            value, name: name.setting, ifVersion: version, by: context.caller.by, at: context.startedAt,
            in: context.auditedStore(of: name.setting)
        ) { result in
            context.goOn { () throws(Problem) in
                switch result {
                case .failure(let error): throw Problem(error)
                case .success(let record):
                    takeEffect(context, "origin_limited", name)
                    var fields = HTTPFields()
                    fields.add("ETag", VersionCondition.tag(record.version))
                    let body = OriginBody.bytes(try name.views(context)) {
                        OriginBody.append(record, to: &$0)
                    }
                    context.answer(record.version == 1 ? .created : .ok, fields, json: body)
                }
            }
        }
    }

    /// `DELETE /v1/origins/{host}`: removes the limits.
    static func delete(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let name = try OriginName(context, &query)
        context.server.origins.cache.remove(name.setting, in: context.auditedStore(of: name.setting)) {
            result in
            context.goOn { () throws(Problem) in
                if case .failure(let error) = result {
                    throw error.code == .noSetting
                        ? Problem(.originNotFound, "\(name.setting) has no limits. Set them with PUT.")
                        : Problem(error)
                }
                takeEffect(context, "origin_unlimited", name)
                context.answer(HTTPResponse(status: .noContent, fields: HTTPFields(), body: .empty))
            }
        }
    }

    private static func takeEffect(_ context: RequestContext, _ event: StaticString, _ name: OriginName) {
        context.server.engine.origins.setLimits(context.server.origins.limits, now: SystemTime.now())
        context.server.log.write(.info, event) { line in
            line.member("host", name.setting)
            line.member("by", context.caller.by)
        }
    }
}
