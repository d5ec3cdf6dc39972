import EventIO
import HTTPMessage
import JobStore

/// `GET /v1/events`: the changes of all jobs as they happen, as an event stream.
enum StreamEvents {
    static func handle(_ context: RequestContext) throws(Problem) {
        try Negotiation.checkStream(context.request.head.fields)
        var query = context.query
        let filter = filter(&query, of: context.tenant)
        let after = query.text("after")
        try query.finish()
        let last = lastEventID(context) ?? after
        try answer(context) { bell, owner in
            ChangeStream(
                context.server.news.feed, bell, for: owner, filter, after: last, access: context.openAccess())
        }
    }

    /// The id of the last event that a client has seen, from `Last-Event-ID`.
    static func lastEventID(_ context: RequestContext) -> String? {
        context.request.head.fields.first("last-event-id").map { String(decoding: $0, as: UTF8.self) }
    }

    /// Counts a stream of the request's owner, if there may be another. The stream has to leave at its end.
    static func enter(_ context: RequestContext) throws(Problem) -> StreamBell {
        switch context.server.news.feed.enter(on: context.exchange.loop, for: context.shareOwner) {
        case .opened(let opened): return opened
        case .closed: throw Problem(.shuttingDown, "The server is stopping and opens no more streams.")
        case .full:
            throw Problem(
                .overloaded,
                "\(ChangeFeed.streamsMax) event streams are open, which is the limit. Close some, or poll.")
        case .limited(let count):
            throw Problem(
                .clientLimited,
                "You have \(count) event streams open, half of what other clients leave. Close some, or read all "
                    + "jobs by one stream of /v1/events.")
        }
    }

    /// Answers with a stream, if there may be another.
    static func answer(
        _ context: RequestContext, _ make: (StreamBell, StreamOwner) -> any HTTPBodySource
    ) throws(Problem) {
        let (bell, owner) = (try enter(context), context.shareOwner)
        let fields: HTTPFields = [
            "Content-Type": StreamText.contentType, "Cache-Control": "no-cache, no-transform",
            // nginx passes each event on at once.
            "X-Accel-Buffering": "no", "Vary": "Accept",
        ]
        context.answer(
            HTTPResponse(status: .ok, fields: fields, body: .stream(length: nil, make(bell, owner))))
    }

    /// The filters of lists by times.
    private static let timeFilters: Set = [
        "created_from", "created_to", "finished_from", "finished_to",
    ]

    private static func filter(_ query: inout QueryReader, of tenant: Tenant?) -> ChangeFilter {
        var written: [(name: String, value: String)] = []
        var filter = ChangeFilter(query: ListFilter.query(&query, &written))
        if let tenant {
            filter.query.tenant = tenant
            filter.query.queue = filter.query.queue.map(tenant.stored)
        }
        for (name, _) in written where timeFilters.contains(name) {
            query.add(
                name, code: "query.value",
                detail: "a stream has the changes from now on, and no \(name). The list of jobs takes it")
        }
        return filter
    }
}
