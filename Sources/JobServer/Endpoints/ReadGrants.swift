import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/grants` and `GET /v1/grants/{name}`: named permissions, and who waits for them.
enum ReadGrants {
    /// Shows those behind `?after=`, a name, in the order of their names. Read off the loop.
    static func list(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let after = query.text("after") ?? ""
        let size = Int(
            query.number("page_size", from: 1, to: ListJobs.pageSizeMax) ?? ListJobs.pageSizeDefault)
        try query.finish()
        let now = context.startedAt
        try context.onReaderThread { reader throws(Problem) in
            do throws(JobStoreError) {
                let found = try reader.grants(after: after, limit: size + 1)
                var json = JSONWriter(capacity: 512 * (found.count + 1))
                json.beginObject()
                json.name("items")
                json.beginArray()
                for grant in found.prefix(size) {
                    GrantBody.append(grant, waiting: try waiting(grant, reader), at: now, to: &json)
                }
                json.endArray()
                json.member("next_after", found.prefix(size).last?.name ?? after)
                json.member("has_more", found.count > size)
                json.endObject()
                context.answer(.ok, json: json.line())
            } catch {
                throw Problem(error)
            }
        }
    }

    /// Shows one.
    static func one(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: "grant", else: .grantNotFound)
        do throws(JobStoreError) {
            let reader = context.door.reader
            if let grant = try reader.grant(name) {
                let waiting = try waiting(grant, reader)
                return context.answer(
                    .ok, json: GrantBody.bytes(grant, waiting: waiting, at: context.startedAt))
            }
        } catch {
            throw Problem(error)
        }
        throw Problem(
            .grantNotFound, "Nobody decided about the grant \(name), and no job asks for it.")
    }

    private static func waiting(
        _ grant: GrantRecord, _ reader: any JobReader
    ) throws(JobStoreError) -> [JobID] {
        try reader.waiting(for: GrantRequest.wakeKey(grant.name), limit: GrantBody.waitingMax)
    }
}
