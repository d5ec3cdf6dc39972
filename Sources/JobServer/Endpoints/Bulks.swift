import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `/v1/bulk-actions`: reads of bulk actions and of their results, and their end.
enum Bulks {
    /// `GET /v1/bulk-actions`, the newest first.
    static func list(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let paging = try PageRequest(of: "/v1/bulk-actions", &query)
        try paging.answerNewest(
            context, itemBytes: 512, id: \BulkRecord.id,
            read: { reader, id, limit throws(JobStoreError) in try reader.bulks(before: id, limit: limit) },
            write: { BulkBody.append($0, base: context.base, to: &$1) })
    }

    /// `GET /v1/bulk-actions/{id}`
    static func read(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try id(context)
        context.answer(.ok, json: BulkBody.bytes(try bulk(id, context.reader), base: context.base))
    }

    private typealias NumberedResult = (number: Int, result: BulkResult, name: String?)

    /// `GET /v1/bulk-actions/{id}/results`, in the order in which the jobs are settled.
    static func results(_ context: RequestContext) throws(Problem) {
        let id = try id(context)
        var query = context.query
        let paging = try PageRequest(of: "/v1/bulk-actions/\(id)/results", &query)
        let place = Int(try paging.number())
        try context.onReaderThread { reader throws(Problem) in
            _ = try bulk(id, reader)
            try paging.answer(
                context, itemBytes: 200,
                read: { (last: NumberedResult?, limit: Int) throws(JobStoreError) in
                    let start = last.map { $0.number + 1 } ?? place
                    let results = try reader.results(of: id, from: start, limit: limit)
                    let names = try reader.names(of: results.map(\.job))
                    return zip(start..., results).map { ($0, $1, names[$1.job]?.name) }
                },
                token: { paging.token(behind: Int64($0.number + 1)) },
                write: { BulkBody.append($0.result, of: $0.name, to: &$1) })
        }
    }

    /// `POST /v1/bulk-actions/{id}:cancel`: jobs that are settled stay so; the others are left alone. Idempotent.
    static func cancel(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try id(context)
        var body = try CommandBody(context.request)
        try body.finish()
        let stop = BulkStop(id, by: context.caller.by, at: context.startedAt)
        context.auditedStore.perform(stop) { result in
            context.attempt { () throws(Problem) in
                let bulk = try stored(result.get())
                let showsRequest = context.showsJobs
                context.answer(
                    .ok, json: BulkBody.bytes(bulk, base: context.base, showsRequest: showsRequest))
            }
        }
    }

    private static func id(_ context: RequestContext) throws(Problem) -> BulkID {
        let text = String(decoding: context.parameter.prefix(80), as: UTF8.self)
        if let id = BulkID(text) { return id }
        throw Problem(
            .bulkNotFound,
            "\"\(text)\" is not the id of a bulk action. Ids are \"blk_\" and 26 letters and digits, as in Location."
        )
    }

    private static func bulk(_ id: BulkID, _ reader: any BulkReads) throws(Problem) -> BulkRecord {
        guard let bulk = try stored(reader.bulk(id)) else { throw Problem(.noBulk(id)) }
        return bulk
    }
}
