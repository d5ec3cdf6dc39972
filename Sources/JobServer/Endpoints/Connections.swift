import DurableJobs
import HTTPMessage
import JobSpec
import JobStore
import StrictJSON

/// `/v1/connections`: named upstreams. Connections are readable by everyone; what is confidential in them are names of
/// secrets.
enum Connections {
    /// `PUT /v1/connections/{name}`: 201 for a new one, else 200.
    static func put(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: "connection", else: .connectionNotFound)
        let value = try context.request.json()
        let book = context.connections
        if case .failure(let problems) = ConnectionReader.read(
            value, egress: context.server.egress, openable: book.openable)
        {
            throw SpecBody.problem(problems)
        }
        book.put(
            value, name: name, by: context.caller.by, at: context.startedAt, in: context.auditedStore
        ) { result in
            if case .success = result { log(context, "connection_stored", name) }
            context.goOn { () throws(Problem) in
                do throws(JobStoreError) {
                    let record = try result.get()
                    context.answer(record.version == 1 ? .created : .ok, json: bytes(record))
                } catch {
                    throw Problem(error)
                }
            }
        }
    }

    /// `GET /v1/connections`
    static func list(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let paging = try PageRequest(of: "/v1/connections", &query)
        try paging.answer(context, named: context.connections.all, itemBytes: 256, name: { $0.name }) {
            write($0, to: &$1)
        }
    }

    /// `GET /v1/connections/{name}`.
    static func read(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: "connection", else: .connectionNotFound)
        guard let record = context.connections.record(name) else { throw missing(name) }
        context.answer(.ok, json: bytes(record))
    }

    /// `DELETE /v1/connections/{name}`: later calls that use it fail.
    static func delete(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: "connection", else: .connectionNotFound)
        context.connections.remove(name, in: context.auditedStore) { result in
            if case .success = result { log(context, "connection_removed", name) }
            context.goOn { () throws(Problem) in
                do throws(JobStoreError) { try result.get() } catch {
                    throw error.code == .noSetting ? missing(name) : Problem(error)
                }
                context.answer(HTTPResponse(status: .noContent, fields: HTTPFields(), body: .empty))
            }
        }
    }

    /// `POST /v1/connections/{name}:test`: submits a job that sends a HEAD request to the base URL, or to a URL
    /// relative to it. The job succeeds when the upstream answers and accepts the credentials.
    static func test(_ context: RequestContext) throws(Problem) {
        let name = try context.name(of: "connection", else: .connectionNotFound)
        guard let connection = context.connections.connection(named: name) else { throw missing(name) }
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
        try SubmitJob.submit(context, spec.encoded())
    }

    private static func missing(_ name: String) -> Problem {
        Problem(.connectionNotFound, "There is no connection \(name). Store it with PUT.")
    }

    private static func bytes(_ record: SettingRecord) -> [UInt8] {
        var json = JSONWriter(capacity: 256 + record.body.count)
        write(record, to: &json)
        return json.line()
    }

    private static func write(_ record: SettingRecord, to json: inout JSONWriter) {
        json.beginObject()
        json.member("name", record.name)
        json.member("version", record.version)
        json.member("updated_at", record.updatedAt)
        json.member("updated_by", record.updatedBy)
        json.name("connection")
        json.raw(record.body)
        json.endObject()
    }

    private static func log(_ context: RequestContext, _ event: StaticString, _ name: String) {
        context.server.log.write(.info, event) { line in
            line.member("connection", name)
            line.member("by", context.caller.by)
        }
    }
}
