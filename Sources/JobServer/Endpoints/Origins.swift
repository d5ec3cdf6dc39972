import DurableJobs
import HTTPMessage
import JobKit
import JobRunner
import JobStore
import StrictJSON
import Synchronization

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
        let paging = try PageRequest(of: "/v1/origins", filters: word.map { [("state", $0)] } ?? [], &query)
        let all = context.server.engine.origins.views(now: context.startedAt)
        let found = word.map { word in all.filter { $0.state.rawValue == word } } ?? all
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

    /// `GET /v1/origins/{host}`: the origins of one host.
    static func read(_ context: RequestContext) throws(Problem) {
        let name = try OriginName(context)
        let views = try name.views(context)
        let record = context.server.origins.record(name.setting)
        var fields = HTTPFields()
        if let record { fields.add("ETag", VersionCondition.tag(record.version)) }
        context.answer(.ok, fields, json: OriginBody.bytes(views) { OriginBody.append(record, to: &$0) })
    }

    /// `POST /v1/origins/{host}:reset`: clears what holds calls back, and wakes the jobs that wait for it.
    static func reset(_ context: RequestContext) throws(Problem) {
        let name = try OriginName(context)
        var body = try CommandBody(context.request)
        try body.finish()
        let origins = try name.views(context).map(\.origin)
        context.server.engine.reset(origins)
        wake(context, origins, name: name, woken: 0)
    }

    private static func wake(_ context: RequestContext, _ origins: [String], name: OriginName, woken: Int) {
        guard let next = origins.first else { return finish(context, name, woken) }
        context.server.store.wakeAll(key: WakeKey.origin(next), at: SystemTime.now()) { result in
            context.goOn { () throws(Problem) in
                let count = try stored(result.get())
                wake(context, Array(origins.dropFirst()), name: name, woken: woken + count)
            }
        }
    }

    private static func finish(_ context: RequestContext, _ name: OriginName, _ woken: Int) {
        context.recordChange()
        context.server.log.write(.info, "origin_reset") { line in
            line.member("host", name.text)
            line.member("by", by: context.caller.by)
            line.member("jobs_woken", Int64(woken))
        }
        context.attempt { () throws(Problem) in
            let views = try name.views(context)
            context.answer(
                .ok, json: OriginBody.bytes(views) { $0.member("jobs_woken", woken) })
        }
    }
}
