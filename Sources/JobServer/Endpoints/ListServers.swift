import HTTPMessage
import JobRunner
import JobStore
import StrictJSON

/// `GET /v1/servers`: the servers that are alive and share the jobs.
enum ListServers {
    static func handle(_ context: RequestContext) throws(Problem) {
        var query = context.query
        let paging = try PageRequest(of: "/v1/servers", &query)
        try context.onReaderThread { reader throws(Problem) in
            var servers = try stored(reader.servers())
            let this = context.server.engine.server
            if let this {
                // Its own number is newer than the one in the store.
                if let place = servers.firstIndex(where: { $0.id == this.id }) {
                    servers[place].running = this.running
                } else if servers.isEmpty, !context.server.store.isShared {
                    servers = [this]
                }
            }
            servers.sort { $0.id.description < $1.id.description }
            try paging.answer(
                context, named: servers, itemBytes: 256, name: { $0.id.description },
                write: { ServerBody.append($0, this: this?.id, to: &$1) })
        }
    }
}
