import EventIO
import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/jobs/{id}/events`: all events of a job, in order, in pages or as a stream.
enum ListEvents {
    /// Answers with the events after `?after=`, a sequence number.
    static func handle(_ context: RequestContext) throws(Problem) {
        let wantsStream = try Negotiation.prefers(
            StreamText.contentType, in: context.request.head.fields)
        var query = context.query
        let word = query.text("after")
        let after = QueryReader.number(word, "after", from: 0, to: .max, &query) ?? 0
        let id = try context.jobID()
        if wantsStream {
            try query.finish()
            return try stream(context, id, after: after)
        }
        let paging = try PageRequest(
            of: "\(JobPath.text(id))/events", filters: word.map { [("after", $0)] } ?? [], &query)
        let start = max(after, try paging.number())
        let job = try context.job(id)
        try context.onReaderThread { reader throws(Problem) in
            try paging.answer(
                context, itemBytes: 256, partMax: entriesAtOnce,
                read: { (last: NumberedEntry?, limit: Int) throws(JobStoreError) in
                    try reader.journal(job.id, after: last?.sequence ?? start, limit: limit)
                },
                token: { paging.token(behind: $0.sequence) },
                write: { EventBody.append($0, to: &$1) })
        }
    }

    /// The most entries that are read at once. Some hold a result of up to 8 MiB, which is not shown.
    private static let entriesAtOnce = 51

    /// Answers with the events as they happen, until the job ends. A client that has seen the end, and asks again, gets
    /// 204, which tells a browser's `EventSource` not to reconnect.
    private static func stream(_ context: RequestContext, _ id: JobID, after: Int64) throws(Problem) {
        let job = try context.job(id)
        let seen = StreamEvents.lastEventID(context).flatMap { Int64($0) }
        let last = max(after, seen ?? 0)
        if seen != nil, job.state.isFinal {
            let rest = try stored(context.reader.journal(id, after: last, limit: 1))
            if rest.isEmpty { return context.answer(HTTPResponse(status: .noContent)) }
        }
        let (readers, tenant) = (context.server.reads.threads, context.tenant)
        let detour: JournalStream.Detour = { readers.run(for: tenant, $0) }
        try StreamEvents.answer(context) { _, owner in
            JournalStream(
                of: id, after: last, context.server.news.feed, for: owner, reader: context.reader,
                readElsewhere: context.server.reads.areRemote ? detour : nil,
                watch: context.server.news.watch,
                on: context.exchange.loop, base: context.base, access: context.openAccess())
        }
    }
}
