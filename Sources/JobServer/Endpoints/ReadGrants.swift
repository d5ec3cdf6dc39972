import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/grants` and `GET /v1/grants/{name}`: grants, and the jobs that wait for them.
enum ReadGrants {
    /// Answers with one page, in the order of names. Read off the loop.
    static func list(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let wish = try PageWish(of: "/v1/grants", &query)
        let after = try wish.text()
        let now = context.startedAt
        try context.onReaderThread { reader throws(Problem) in
            do throws(JobStoreError) {
                let found = try reader.grants(after: after, limit: wish.size + 1)
                let page = found.prefix(wish.size)
                var waiting: [[JobID]] = []
                for grant in page { waiting.append(try self.waiting(grant, reader)) }
                let last = found.count > page.count ? page.last?.name : nil
                wish.answer(
                    context, capacity: 512 * (found.count + 1),
                    next: last.map { wish.token(behind: Array($0.utf8)) }
                ) { json in
                    for (grant, waiting) in zip(page, waiting) {
                        GrantBody.append(grant, waiting: waiting, at: now, to: &json)
                    }
                }
            } catch {
                throw Problem(error)
            }
        }
    }

    static func one(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: "grant", else: .grantNotFound)
        do throws(JobStoreError) {
            let reader = context.reader
            if let grant = try reader.grant(name) {
                let waiting = try waiting(grant, reader)
                return context.answer(
                    .ok, json: GrantBody.bytes(grant, waiting: waiting, at: context.startedAt))
            }
        } catch {
            throw Problem(error)
        }
        throw Problem(
            .grantNotFound, "No decision about the grant \(name) was made, and no job waits for it.")
    }

    private static func waiting(
        _ grant: GrantRecord, _ reader: any GrantReads
    ) throws(JobStoreError) -> [JobID] {
        try reader.waiting(for: GrantRequest.wakeKey(grant.name), limit: GrantBody.waitingMax)
    }
}
