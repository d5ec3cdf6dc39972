import DurableJobs
import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// `/v1/queues`: how many jobs of a queue run and wait, and the limits for them.
enum Queues {
    /// `PUT /v1/queues/{name}`: 201 for a new configuration, else 200.
    static func put(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let validatesOnly = query.flag("validate_only")
        try query.finish()
        let name = try name(context)
        let expected = try VersionCondition(context.request.head.fields)
        let value = try context.request.json()
        if case .failure(let problems) = QueueReader.read(value) { throw SpecBody.problem(problems) }
        let book = context.queues
        let version = try expected.version(of: name, now: book.record(name)?.version ?? 0)
        if validatesOnly { return context.answer(.ok, json: VersionCondition.valid("queue", value)) }
        book.cache.put(
            value, name: name, ifVersion: version, by: context.caller.by, at: context.startedAt,
            in: context.auditedStore
        ) { result in
            if case .success = result { log(context, "queue_stored", name) }
            context.goOn { () throws(Problem) in
                switch result {
                case .success(let record): try answer(context, name, isNew: record.version == 1)
                case .failure(let error): throw Problem(error)
                }
            }
        }
    }

    /// `GET /v1/queues`: those with a configuration or jobs, by name.
    static func list(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let paging = try PageRequest(of: "/v1/queues", &query)
        try standings(context) { all throws(Problem) in
            try paging.answer(context, named: all, itemBytes: 512, name: { $0.name }) { queue, json in
                QueueBody.append(queue, context.queues.record(queue.name), to: &json)
            }
        }
    }

    /// `GET /v1/queues/{name}`.
    static func read(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        try answer(context, try name(context), isNew: false)
    }

    /// `DELETE /v1/queues/{name}`: removes the configuration; jobs that wait begin without limits.
    static func delete(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try name(context)
        context.queues.cache.remove(name, in: context.auditedStore) { result in
            if case .success = result { log(context, "queue_removed", name) }
            context.goOn { () throws(Problem) in
                if case .failure(let error) = result {
                    throw error.code == .noSetting ? unconfigured(name) : Problem(error)
                }
                context.answer(HTTPResponse(status: .noContent, fields: HTTPFields(), body: .empty))
            }
        }
    }

    /// `POST /v1/queues/{name}:pause`: no job begins from now on; those that run go on.
    static func pause(_ context: RequestContext) throws(Problem) { try setPaused(true, context) }

    /// `POST /v1/queues/{name}:resume`.
    static func resume(_ context: RequestContext) throws(Problem) { try setPaused(false, context) }

    /// `GET /v1/queues/{name}/keys`: the keys with the most jobs.
    static func keys(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let most = query.number("limit", from: 1, to: PageRequest.sizeMax) ?? PageRequest.sizeDefault
        try query.finish()
        let name = try name(context)
        context.store.busiestKeys(of: name, limit: Int(most), now: context.startedAt) { result in
            context.goOn { () throws(Problem) in
                let keys: [QueueKeyStanding]
                do throws(JobStoreError) { keys = try result.get() } catch { throw Problem(error) }
                if keys.isEmpty, context.queues.record(name) == nil { throw unconfigured(name) }
                var json = JSONWriter(capacity: 128 * (keys.count + 1))
                json.beginObject()
                json.name("items")
                json.beginArray()
                for key in keys { QueueBody.append(key, of: name, to: &json) }
                json.endArray()
                json.endObject()
                context.answer(.ok, json: json.line())
            }
        }
    }

    // MARK: Parts

    private static func name(_ context: RequestContext) throws(Problem) -> String {
        try context.name(of: "queue", else: .queueNotFound)
    }

    private static func unconfigured(_ name: String) -> Problem {
        Problem(.queueNotFound, "Queue \(name) has no configuration. Give it one with PUT.")
    }

    /// Changes `paused` of a configuration, again when it changes at the same time.
    private static func setPaused(_ isPaused: Bool, _ context: RequestContext, tries: Int = 20)
        throws(Problem)
    {
        try context.refuseQuery()
        let name = try name(context)
        var body = try CommandBody(context.request)
        try body.finish()
        let book = context.queues
        let known = book.record(name)
        if !isPaused, known == nil { throw unconfigured(name) }
        var object = known.flatMap { try? JSONParser.parse($0.body).object } ?? JSONObject()
        if object["paused"] == .bool(isPaused) { return try answer(context, name, isNew: false) }
        object["paused"] = isPaused ? .bool(true) : nil
        book.cache.put(
            .object(object), name: name, ifVersion: known?.version ?? 0, by: context.caller.by,
            at: context.startedAt, in: context.auditedStore
        ) { result in
            if case .success = result { log(context, isPaused ? "queue_paused" : "queue_resumed", name) }
            context.goOn { () throws(Problem) in
                if case .failure(let error) = result {
                    if case .settingConflict = error.code, tries > 1 {
                        return try setPaused(isPaused, context, tries: tries - 1)
                    }
                    throw Problem(error)
                }
                try answer(context, name, isNew: false)
            }
        }
    }

    /// Answers with the state of a queue.
    private static func answer(_ context: RequestContext, _ name: String, isNew: Bool) throws(Problem) {
        try standings(context) { all throws(Problem) in
            guard let standing = all.first(where: { $0.name == name }) else {
                throw Problem(.queueNotFound, "No queue \(name) has a configuration or jobs.")
            }
            let record = context.queues.record(name)
            var fields = HTTPFields()
            if let record { fields.add("ETag", VersionCondition.tag(record.version)) }
            context.answer(isNew ? .created : .ok, fields, json: QueueBody.bytes(standing, record))
        }
    }

    /// Calls `then` with the state of all queues with a configuration or jobs, by name.
    static func standings(
        _ context: RequestContext, then: @escaping @Sendable ([QueueStanding]) throws(Problem) -> Void
    ) throws(Problem) {
        context.store.queues(now: context.startedAt) { result in
            context.attempt { () throws(Problem) in
                let lines: [QueueStanding]
                do throws(JobStoreError) { lines = try result.get() } catch { throw Problem(error) }
                try context.onReaderThread { reader throws(Problem) in
                    let others: [QueueStanding]
                    do throws(JobStoreError) { others = try reader.queues() } catch { throw Problem(error) }
                    try then(QueueStanding.all(lines, others: others))
                }
            }
        }
    }

    private static func log(_ context: RequestContext, _ event: StaticString, _ name: String) {
        context.server.log.write(.info, event) { line in
            line.member("queue", name)
            line.member("by", context.caller.by)
        }
    }
}
