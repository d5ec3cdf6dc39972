import HTTPMessage
import JobStore
import StrictJSON

/// `GET /v1/audit`: the changes by people, the newest first; as lines if the client prefers that.
enum ListAudit {
    private static let linesType = "application/x-ndjson"

    static func handle(_ context: RequestContext) throws(Problem) {
        let wantsLines = try Negotiation.prefers(linesType, in: context.request.head.fields)
        var query = context.query
        let wish = try PageWish(of: "/v1/audit", &query)
        let place = wish.place == nil ? nil : try wish.number()
        try context.onReaderThread { reader throws(Problem) in
            let found: [AuditRecord]
            do throws(JobStoreError) { found = try reader.audits(before: place, limit: wish.size + 1) } catch
            {
                throw Problem(error)
            }
            let page = found.prefix(wish.size)
            let next = found.count > page.count ? page.last.map { wish.token(behind: $0.number) } : nil
            var fields = HTTPFields()
            fields.add("Vary", "Accept")
            guard wantsLines else {
                return wish.answer(context, fields, capacity: 320 * (page.count + 1), next: next) { json in
                    for record in page { AuditBody.append(record, to: &json) }
                }
            }
            var lines: [UInt8] = []
            for record in page {
                var json = JSONWriter(capacity: 320)
                AuditBody.append(record, to: &json)
                lines += json.line()
            }
            if let next { wish.addLink(to: &fields, token: next, base: context.base) }
            fields.add("Content-Type", linesType)
            context.answer(HTTPResponse(status: .ok, fields: fields, body: .bytes(lines)))
        }
    }
}
