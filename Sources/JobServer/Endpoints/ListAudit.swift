import HTTPMessage
import JobStore
import StrictJSON

/// `GET /v1/audit`: the changes by people, the newest first; as lines if the client prefers that.
enum ListAudit {
    private static let linesType = "application/x-ndjson"

    static func handle(_ context: RequestContext) throws(Problem) {
        let wantsLines = try Negotiation.prefers(linesType, in: context.request.head.fields)
        var query = context.query
        let paging = try PageRequest(of: "/v1/audit", &query)
        let place = paging.place == nil ? nil : try paging.number()
        try context.onReaderThread { reader throws(Problem) in
            var fields = HTTPFields()
            fields.add("Vary", "Accept")
            func read(_ last: AuditRecord?, _ limit: Int) throws(JobStoreError) -> [AuditRecord] {
                try reader.audits(before: last?.number ?? place, limit: limit)
            }
            guard wantsLines else {
                return try paging.answer(
                    context, fields, itemBytes: 320, read: read, token: { paging.token(behind: $0.number) },
                    write: { AuditBody.append($0, to: &$1) })
            }
            var lines: [UInt8] = []
            var draft = PageDraft(size: paging.size, capacity: 1_024)
            let next = try paging.fill(&draft, read: read, token: { paging.token(behind: $0.number) }) {
                record, json in
                let start = json.bytes.count
                AuditBody.append(record, to: &json)
                lines += json.bytes[start...].drop { $0 == UInt8(ascii: ",") }
                lines.append(0x0A)
            }
            if let next { paging.addLink(to: &fields, token: next, base: context.base) }
            fields.add("Content-Type", linesType)
            context.answer(HTTPResponse(status: .ok, fields: fields, body: .bytes(lines)))
        }
    }
}
