import HTTPMessage
import JobKit
import JobRunner
import JobStore
import StrictJSON

/// `GET /v1/servers`: the servers that are alive and share the jobs.
enum ListServers {
    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let paging = try PageRequest(of: "/v1/servers", &query)
        try context.onReaderThread { reader throws(Problem) in
            let servers = try stored(context.server.engine.servers(reader))
            let this = context.server.engine.server
            let all = servers.map { (place: place(of: $0), server: $0) }
                .sorted { $0.place.lexicographicallyPrecedes($1.place) }
            let behind = all.drop { entry in
                paging.place.map { !$0.lexicographicallyPrecedes(entry.place) } ?? false
            }
            try paging.answer(
                context, of: behind, itemBytes: 256, token: { paging.token(behind: $0.place) },
                write: { ServerBody.append($0.server, this: this?.id, to: &$1) })
        }
    }

    /// The sort key of a server: its start, then its id.
    private static func place(of server: ServerRecord) -> [UInt8] {
        PageToken.bytes(UInt64(clamping: server.startedAt.milliseconds)) + server.id.description.utf8
    }
}
