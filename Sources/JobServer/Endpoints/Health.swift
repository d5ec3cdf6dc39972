import HTTPMessage
import JobStore
import StrictJSON
import Synchronization

/// `GET /healthz` and `GET /readyz`: liveness and readiness.
enum Health {
    /// Always 200: the loop that answers is alive.
    static func alive(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        context.answer(.ok, json: Array("{\"status\":\"ok\"}\n".utf8))
    }

    /// 200 when writes can be made durable; 503 when not, or while the server is stopping.
    static func ready(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        guard !context.server.isDraining.load(ordering: .relaxed) else {
            throw Problem(.shuttingDown, "The server is stopping and takes no new jobs.")
        }
        if let error = context.server.store.condition.refusal { throw Problem(error) }
        context.server.store.checkHealth { result in
            context.onLoop { () throws(Problem) in
                if case .failure(let error) = result { throw Problem(error) }
                context.answer(.ok, json: Array("{\"status\":\"ready\"}\n".utf8))
            }
        }
    }
}
