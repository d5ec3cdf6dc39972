import HTTPMessage
import JobKit
import JobRunner
import JobStore
import OpenSSLCrypto
import StrictJSON

/// `POST /v1/bulk-actions`: one action on many jobs. These are fixed when it is created: jobs that come later are
/// untouched.
final class CreateBulk: Sendable {
    /// The maximum size of a request.
    static let bytesMax = 1 << 20
    private static let samplesMax = 10

    private let context: RequestContext
    private let request: BulkRequest
    private let validatesOnly: Bool

    private init(_ context: RequestContext, _ request: BulkRequest, validatesOnly: Bool) {
        self.context = context
        self.request = request
        self.validatesOnly = validatesOnly
    }

    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let validatesOnly = query.flag("validate_only")
        try query.finish()
        let request = try BulkRequest(try context.request.json())
        let action = CreateBulk(context, request, validatesOnly: validatesOnly)
        switch request.jobs {
        case .ids(let ids): try action.found(ids)
        case .filter(var query):
            // Jobs that arrive while the ids are read come later in the list.
            query.ascending = true
            let bound = context.startedAt.advanced(by: .milliseconds(1))
            query.createdBefore = min(query.createdBefore ?? bound, bound)
            try action.gather(query, [])
        }
    }

    /// Reads the next part of the ids, and then the rest: other reads come in between.
    private func gather(_ query: JobListQuery, _ known: [JobID]) throws(Problem) {
        try context.onReaderThread { [self] reader throws(Problem) in
            let part = try stored(reader.ids(query))
            let ids = known + part.ids
            if ids.count > BulkRequest.matchesMax {
                throw Problem(
                    .bulkTooLarge,
                    "The filter matches more than \(BulkRequest.matchesMax) jobs. Narrow it, with created_to for "
                        + "example, and repeat it for the rest.")
            }
            guard let next = part.next else { return try found(ids) }
            var rest = query
            (rest.after, rest.afterFinish) = (next.id, next.finishedAt)
            try gather(rest, ids)
        }
    }

    private func found(_ ids: [JobID]) throws(Problem) {
        if let expected = request.expectedCount, expected != ids.count {
            throw Problem(
                .preconditionFailed,
                "\(ids.count) jobs match, and expected_count is \(expected). Nothing was changed."
            ).member("count", Array("\(ids.count)".utf8))
        }
        if validatesOnly { return try preview(ids) }
        var words = DrawnWords(context.door.randomWords.pair())
        let bulk = BulkRecord(
            id: BulkID(bits: JobID(at: context.startedAt, using: &words)),
            body: JSONValue.object(request.stored).encoded(), perSecond: request.perSecond,
            createdAt: context.startedAt, createdBy: context.caller.by, total: ids.count)
        let creation = BulkCreation(bulk, of: ids)
        context.auditedStore(of: bulk.id.description).perform(creation) { [context] result in
            if case .success(let bulk) = result {
                context.server.log.write(.info, "bulk_created") { line in
                    line.member("bulk", bulk.id.description)
                    line.member("action", self.request.action.rawValue)
                    line.member("jobs", Int64(bulk.total))
                    line.member("by", by: bulk.createdBy)
                }
                // The engine decides by the stored name whose jobs the action may change.
                context.server.engine.begin(context.tenant?.stored(bulk) ?? bulk)
            }
            context.attempt { () throws(Problem) in
                let bulk = try stored(result.get())
                var fields = HTTPFields()
                fields.add("Location", "\(context.base)/v1/bulk-actions/\(bulk.id)")
                context.answer(.accepted, fields, json: BulkBody.bytes(bulk, base: context.base))
            }
        }
    }

    /// Answers with the number of jobs and some of them.
    private func preview(_ ids: [JobID]) throws(Problem) {
        let shown = context.showsJobs ? ids.prefix(Self.samplesMax) : []
        try context.onReaderThread { [context, request] reader throws(Problem) in
            var json = JSONWriter(capacity: 1_024 * (shown.count + 1))
            json.beginObject()
            json.member("valid", true)
            json.member("action", request.action.rawValue)
            json.member("count", ids.count)
            json.name("samples")
            json.beginArray()
            for id in shown {
                let job = try stored(reader.job(id))
                if let job { json.raw(JobBody.bytes(job, base: context.base).dropLast()) }
            }
            json.endArray()
            json.endObject()
            context.answer(.ok, json: json.line())
        }
    }
}
