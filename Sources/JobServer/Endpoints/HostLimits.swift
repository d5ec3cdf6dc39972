import DurableJobs
import HTTPMessage
import JobKit
import JobRunner
import JobSpec
import JobStore

/// `/v1/hosts`: the limits of the calls to a host, beside the pauses and failures that are learned from calls.
enum HostLimits: ListedSettings {
    static let kind = SettingKind.origin
    static let events: SettingEvents = ("host_limited", "host_unlimited")
    static let path = "/v1/hosts"

    static func settings(_ context: RequestContext) -> SettingScope<FlowLimits> {
        context.server.settings.origins.settings
    }

    /// The host in the path, as its limits are stored.
    static func name(_ context: RequestContext) throws(Problem) -> String { try HostName(context).setting }

    /// `PUT /v1/hosts/{host}/limits`: 201 for new limits, else 200.
    static func put(_ context: RequestContext) throws(Problem) {
        try put(context) { spec, _ throws(Problem) in
            try SpecBody.checked(LimitReader.read(spec, of: "A host"))
        } done: {
            takeEffect(context)
        }
    }

    /// `DELETE /v1/hosts/{host}/limits`
    static func delete(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        try remove(try name(context), context) { takeEffect(context) }
    }

    private static func takeEffect(_ context: RequestContext) {
        context.server.engine.origins.setLimits(context.server.settings.origins.limits, now: SystemTime.now())
    }
}
