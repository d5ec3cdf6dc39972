import DurableJobs
import HTTPMessage
import JobKit
import JobRunner
import JobStore
import StrictJSON

/// `/v1/origins`: the state of upstreams, and which of them hold calls back.
enum Origins {
    /// `GET /v1/origins`: origins that hold calls back come first.
    static func list(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let states = OriginView.State.allCases.map(\.rawValue)
        let word = query.text("state")
        if let word, !states.contains(word) {
            query.add(
                "state", code: "query.value",
                detail: "state must be one of \(states.joined(separator: ", "))",
                suggestion: SpellingSuggestion.nearest(to: word, in: states))
        }
        let (name, host) = host(&query)
        let filters = [("state", word), ("host", name)].compactMap { name, value in value.map { (name, $0) } }
        let paging = try PageRequest(of: "/v1/origins", filters: filters, &query)
        let found = context.server.engine.origins.views(now: context.startedAt).filter { view in
            word.map { $0 == view.state.rawValue } ?? true && host.map { $0.matches(view) } ?? true
        }
        let behind = found.drop { view in
            paging.place.map { !$0.lexicographicallyPrecedes(place(of: view)) } ?? false
        }
        try paging.answer(
            context, of: behind, itemBytes: 320, token: { paging.token(behind: place(of: $0)) },
            extras: { $0.member("total", found.count) }, write: { OriginBody.append($0, to: &$1) })
    }

    /// The sort key of an origin: its state, then its name.
    private static func place(of view: OriginView) -> [UInt8] {
        [UInt8(clamping: view.state.rank)] + view.origin.utf8.prefix(PageToken.placeBytesMax - 1)
    }

    /// The filter by a host.
    private static func host(_ query: inout QueryReader) -> (text: String?, host: HostName?) {
        guard let text = query.text("host") else { return (nil, nil) }
        let host = HostName(text)
        if host == nil {
            query.add(
                "host", code: "query.value",
                detail: "host must be a name or an address, with a port if you like: api.example:8443")
        }
        return (text, host)
    }

    /// `GET /v1/origins/{origin}`
    static func read(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let view = try OriginName(context).view(context)
        context.answer(.ok, json: OriginBody.bytes(view))
    }

    /// `POST /v1/origins/{origin}:reset`: clears what holds calls back, and wakes the jobs that wait for it.
    static func reset(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try OriginName(context)
        var body = try CommandBody(context.request)
        try body.finish()
        let origin = try name.view(context).origin
        context.server.engine.reset([origin])
        context.server.store.wakeAll(key: WakeKey.origin(origin), at: SystemTime.now()) { result in
            context.goOn { () throws(Problem) in
                let woken = try stored(result.get())
                context.recordChange()
                context.server.log.write(.info, "origin_reset") { line in
                    line.member("origin", origin)
                    line.member("by", by: context.caller.by)
                    line.member("jobs_woken", Int64(woken))
                }
                let view = try name.view(context)
                context.answer(.ok, json: OriginBody.bytes(view) { $0.member("jobs_woken", woken) })
            }
        }
    }
}
