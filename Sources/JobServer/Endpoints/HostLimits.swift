import DurableJobs
import HTTPMessage
import JobKit
import JobRunner
import JobSpec
import JobStore
import StrictJSON

/// The limits of the calls to a host, beside the pauses and failures that are learned from calls.
enum OriginSettings: SettingResource {
    static let kind = SettingKind.origin
    static let events: SettingEvents = ("origin_limited", "origin_unlimited")

    /// `PUT /v1/origins/{host}`: 201 for new limits, else 200.
    static func put(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let validatesOnly = query.flag("validate_only")
        let name = try OriginName(context, &query)
        let version = context.server.origins.record(name.setting)?.version ?? 0
        try store(
            name.setting, context, now: version, validatesOnly: validatesOnly, as: "limits",
            read: { LimitReader.read($0, of: "An origin") }
        ) { result throws(Problem) in
            let record = try stored(result.get())
            takeEffect(context)
            var fields = HTTPFields()
            fields.add("ETag", VersionCondition.tag(record.version))
            let body = OriginBody.bytes(try name.views(context)) { OriginBody.append(record, to: &$0) }
            context.answer(record.version == 1 ? .created : .ok, fields, json: body)
        }
    }

    /// `DELETE /v1/origins/{host}`: removes the limits.
    static func delete(_ context: RequestContext) throws(Problem) {
        var query = context.query
        remove(try OriginName(context, &query).setting, context) { takeEffect(context) }
    }

    private static func takeEffect(_ context: RequestContext) {
        context.server.engine.origins.setLimits(context.server.origins.limits, now: SystemTime.now())
    }
}
