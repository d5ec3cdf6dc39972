import HTTPMessage
import JobRunner
import JobStore
import StrictJSON

/// `GET /v1/servers`: the servers that are alive and share the jobs.
enum ListServers {
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
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
            context.answer(.ok, json: ServerBody.bytes(servers, this: this?.id))
        }
    }
}
