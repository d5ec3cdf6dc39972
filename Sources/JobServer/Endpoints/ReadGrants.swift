import HTTPMessage
import JobKit
import JobStore
import StrictJSON

/// `GET /v1/grants` and `GET /v1/grants/{name}`: grants, and the jobs that wait for them.
enum ReadGrants {
    /// Answers with one page, in the order of names. Read off the loop.
    static func list(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let paging = try PageRequest(of: "/v1/grants", &query)
        let after = try paging.text()
        let now = context.startedAt
        try context.onReaderThread { reader throws(Problem) in
            try paging.answer(
                context, itemBytes: 512,
                read: { (last: GrantRecord?, limit: Int) throws(JobStoreError) in
                    try reader.grants(after: last?.name ?? after, limit: limit)
                },
                token: { paging.token(behind: Array($0.name.utf8)) },
                write: { grant, json throws(Problem) in
                    let waiting = try stored(self.waiting(grant, reader))
                    GrantBody.append(grant, waiting: waiting, at: now, to: &json)
                })
        }
    }

    static func one(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let name = try context.name(of: .grant)
        guard let grant = try stored(context.reader.grant(name)) else {
            throw Problem(.noGrant(name))
        }
        let waiting = try stored(waiting(grant, context.reader))
        context.answer(
            .ok, DecideGrant.fields(grant),
            json: GrantBody.bytes(grant, waiting: waiting, at: context.startedAt))
    }

    private static func waiting(
        _ grant: GrantRecord, _ reader: any GrantReads
    ) throws(JobStoreError) -> [JobID] {
        try reader.waiting(for: GrantRequest.wakeKey(grant.name), limit: GrantBody.waitingMax)
    }
}
