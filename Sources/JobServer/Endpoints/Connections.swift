import DurableJobs
import HTTPMessage
import JobSpec
import JobStore
import StrictJSON

/// `/v1/connections`: named upstreams. Connections are readable by everyone; what is confidential in them are names of
/// secrets.
enum Connections: ListedSettings {
    static let kind = SettingKind.connection
    static let events: SettingEvents = ("connection_stored", "connection_removed")
    static let path = "/v1/connections"

    /// `PUT /v1/connections/{name}`: 201 for a new one, else 200.
    static func put(_ context: RequestContext) throws(Problem) {
        try put(context) { spec, _ throws(Problem) in
            try SpecBody.checked(
                ConnectionReader.read(
                    spec, egress: context.server.intake.egress, openable: context.connections.openable))
        }
    }

    static func settings(_ context: RequestContext) -> SettingScope<ConnectionSpec?> {
        context.connections.settings
    }

    /// `POST /v1/connections/{name}:test`: submits a job that sends a HEAD request to the base URL, or to a URL
    /// relative to it. The job succeeds when the upstream answers and accepts the credentials.
    static func test(_ context: RequestContext) throws(Problem) {
        let name = try name(context)
        guard let connection = context.connections.connection(named: name) else {
            throw Problem(.noSetting(.connection, name))
        }
        var body = try CommandBody(context.request)
        let url = body.text("url", bytesMax: 8 << 10)
        try body.finish()
        let spec: JSONValue = [
            "type": "network", "name": "test", "connection": .string(name),
            "request": ["method": "HEAD", "url": .string(url ?? connection.baseURL)],
            "retry": ["max_attempts": 1],
            "expect": [
                "status": ["2xx", "3xx", "4xx"], "that": ["not": ["at": "/status", "in": [401, 403, 407]]],
            ],
        ]
        try SubmitJob.submit(context, composed: spec.encoded())
    }
}
