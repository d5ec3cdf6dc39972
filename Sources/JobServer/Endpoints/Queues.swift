import DurableJobs
import HTTPMessage
import JobKit
import JobSpec
import JobStore
import StrictJSON

/// `/v1/queues`: how many jobs of a queue run and wait, and the limits for them.
enum Queues: SettingResource {
    static let kind = SettingKind.queue
    static let events: SettingEvents = ("queue_stored", "queue_removed")

    /// `PUT /v1/queues/{name}`: 201 for a new configuration, else 200.
    static func put(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let validatesOnly = query.flag("validate_only")
        try query.finish()
        let name = try name(context)
        let version = context.queues.record(name)?.version ?? 0
        try store(
            name, context, now: version, validatesOnly: validatesOnly, as: "queue", read: QueueReader.read
        ) { result throws(Problem) in
            try answer(context, name, isNew: stored(result.get()).version == 1)
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
        let look = BusiestKeys(of: name, limit: Int(most), at: context.startedAt)
        context.store.look(look) { result in
            context.goOn { () throws(Problem) in
                let keys = try stored(result.get())
                if keys.isEmpty, context.queues.record(name) == nil {
                    throw Problem(.noSetting(.queue, name))
                }
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

    /// Changes `paused` of a configuration, again when it changes at the same time.
    private static func setPaused(_ isPaused: Bool, _ context: RequestContext, tries: Int = 20)
        throws(Problem)
    {
        try context.refuseQuery()
        let name = try name(context)
        var body = try CommandBody(context.request)
        try body.finish()
        let known = context.queues.record(name)
        if !isPaused, known == nil { throw Problem(.noSetting(.queue, name)) }
        var object = known.flatMap { try? JSONParser.parse($0.body).object } ?? JSONObject()
        if object["paused"] == .bool(isPaused) { return try answer(context, name, isNew: false) }
        object["paused"] = isPaused ? .bool(true) : nil
        store(
            draft(.object(object), name, ifVersion: known?.version ?? 0, context), context,
            event: isPaused ? "queue_paused" : "queue_resumed"
        ) { result throws(Problem) in
            if case .failure(let error) = result, case .settingConflict = error.code, tries > 1 {
                return try setPaused(isPaused, context, tries: tries - 1)
            }
            _ = try stored(result.get())
            try answer(context, name, isNew: false)
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
        context.store.look(AllQueues(at: context.startedAt)) { result in
            context.attempt { () throws(Problem) in
                let lines = try stored(result.get())
                try context.onReaderThread { reader throws(Problem) in
                    let others = try stored(reader.queues())
                    try then(QueueStanding.all(lines, others: others))
                }
            }
        }
    }
}
