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

    static let state = [
        "state", "detail", "opens_at", "waiting", "waiting_is_lower_bound", "running", "oldest_waiting_since",
        "rate_available",
    ]

    static func known(_ name: String, _ context: RequestContext) -> SettingRecord? {
        context.queues.record(name)
    }

    /// `PUT /v1/queues/{name}`: 201 for a new configuration, else 200. A paused queue stays so.
    static func put(_ context: RequestContext) throws(Problem) {
        try put(context) { spec, _ throws(Problem) in
            _ = try SpecBody.checked(QueueReader.read(spec))
            return spec.object ?? JSONObject()
        } then: { draft, spec in
            var draft = draft
            draft.body = { QueueBody.stored(spec, isPaused: QueueBody.isPaused($0)) }
            draft.isSame = { $0.body == QueueBody.stored(spec, isPaused: QueueBody.isPaused($0)) }
            let name = draft.name
            store(draft, context) { result throws(Problem) in
                try answer(context, name, isNew: stored(result.get()).isNew)
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

    /// `POST /v1/queues/{name}:pause`: no job begins from now on; those that run go on.
    static func pause(_ context: RequestContext) throws(Problem) { try setPaused(true, context) }

    /// `POST /v1/queues/{name}:resume`.
    static func resume(_ context: RequestContext) throws(Problem) { try setPaused(false, context) }

    /// `GET /v1/queues/{name}/keys`: the keys with the most jobs first.
    static func keys(_ context: RequestContext) throws(Problem) {
        let name = try name(context)
        var query = context.query
        let paging = try PageRequest(of: "/v1/queues/\(name)/keys", &query)
        let start = Int(try paging.number())
        guard start < keysMax else { throw PageRequest.damaged }
        let most = min(start + paging.size + 1, keysMax)
        let look = BusiestKeys(of: name, limit: most, at: context.startedAt)
        context.store.look(look) { result in
            context.goOn { () throws(Problem) in
                let keys = try stored(result.get())
                if keys.isEmpty, context.queues.record(name) == nil {
                    throw Problem(.noSetting(.queue, name))
                }
                let behind = keys.enumerated().dropFirst(start)
                try paging.answer(
                    context, of: Array(behind), itemBytes: 128,
                    token: { paging.token(behind: Int64($0.offset + 1)) },
                    write: { QueueBody.append($0.element, of: name, to: &$1) })
            }
        }
    }

    // MARK: Parts

    /// The most keys that a list of them has.
    private static let keysMax = 10_000

    /// Stores whether a queue is paused, with the rest of its configuration as it is then.
    private static func setPaused(_ isPaused: Bool, _ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try name(context)
        var body = try CommandBody(context.request)
        try body.finish()
        if !isPaused, context.queues.record(name) == nil { throw Problem(.noSetting(.queue, name)) }
        var draft = draft(.object(JSONObject()), name, context)
        draft.body = { QueueBody.stored(QueueBody.spec($0), isPaused: isPaused) }
        draft.isSame = { QueueBody.isPaused($0) == isPaused }
        store(draft, context, event: isPaused ? "queue_paused" : "queue_resumed") { result throws(Problem) in
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
            context.answer(
                isNew ? .created : .ok, fields(record), json: QueueBody.bytes(standing, record))
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
