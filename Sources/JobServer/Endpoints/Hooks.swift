import DurableJobs
import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// `/v1/hooks`: what requests from outside do. Hooks are readable by everyone; their confidential parts are names of
/// secrets.
enum Hooks: ListedSettings {
    typealias Value = HookSpec?

    static let kind = SettingKind.hook
    static let events: SettingEvents = ("hook_stored", "hook_removed")
    static let path = "/v1/hooks"
    static let state = ["address", "warnings"]

    /// `PUT /v1/hooks/{name}`: 201 for a new one, else 200. With `validate_only` nothing is stored.
    static func put(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let validatesOnly = query.flag("validate_only")
        try query.finish()
        let name = try name(context)
        let body = try body(context, name)
        let templates = TemplateBook(context.reader)
        let hook = try body.read { spec throws(Problem) in
            let read = HookReader.read(
                spec, name: name, now: context.startedAt, egress: context.server.egress,
                kinds: context.server.kinds, templates: templates.lookup)
            do throws(Problem) { return try SpecBody.checked(read) } catch {
                throw templates.failure.map { Problem($0) } ?? error
            }
        }
        var draft = draft(body.spec, name, context)
        try expect(body, &draft, context)
        if validatesOnly {
            var json = JSONWriter(capacity: 512)
            json.beginObject()
            json.member("valid", true)
            json.name("spec")
            json.raw(CanonicalJSON.encode(body.spec))
            append(warnings(about: hook, context), to: &json)
            json.endObject()
            return context.answer(.ok, json: json.line())
        }
        put(draft, of: hook, context)
    }

    static func settings(_ context: RequestContext) -> SettingScope<HookSpec?> {
        context.server.hooks.scoped(to: context.tenant).settings
    }

    static func write(_ entry: Entry, _ context: RequestContext, to json: inout JSONWriter) {
        NamedHead(entry.record).write(to: &json) { json in
            let owner = context.tenant.map { $0.prefix } ?? ""
            json.member("address", "\(context.base)/hooks/\(owner)\(entry.record.name)")
            append(entry.value.map { warnings(about: $0, context) } ?? [], to: &json)
        }
    }

    private static func append(_ warnings: [SpecWarning], to json: inout JSONWriter) {
        json.name("warnings")
        SpecWarning.write(warnings, to: &json)
    }

    /// The warnings about a hook.
    private static func warnings(about hook: HookSpec, _ context: RequestContext) -> [SpecWarning] {
        var warnings: [SpecWarning] = []
        if hook.hasNoID {
            warnings.append(
                SpecWarning(
                    path: [], code: "warning.hook_without_id",
                    detail:
                        "Nothing tells a delivery that comes again from a new one, so it acts again. Say where its id "
                        + "is: \"dedupe\": {\"at\": \"/headers/x-id\"}."))
        }
        let vault = context.secrets
        for name in hook.verify.secrets where vault.secret(named: name) == nil {
            warnings.append(
                SpecWarning(
                    path: [], code: "warning.secret_missing",
                    detail: "There is no secret \(name): it verifies nothing until it is stored with PUT "
                        + "/v1/secrets/\(name)."))
        }
        return warnings
    }
}
