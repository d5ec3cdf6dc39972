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
        try put(context) { spec, name throws(Problem) in
            try SpecBody.taken { () throws(Intake.Refusal) in
                try context.intake.hook(spec, name, context.reader, now: context.startedAt)
            }
        } said: { hook, json in
            if let hook { append(warnings(about: hook, context), to: &json) }
        }
    }

    static func settings(_ context: RequestContext) -> SettingScope<HookSpec?> {
        context.server.settings.hooks.scoped(to: context.tenant)
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
