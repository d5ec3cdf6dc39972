import HTTPMessage
import JobRunner
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

    /// 200 when writes can be made durable and jobs may run; 503 when not, or while the server is stopping.
    static func ready(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        guard !context.server.process.isDraining else {
            throw Problem(.shuttingDown, "The server is stopping and takes no new jobs.")
        }
        if let error = context.server.store.condition.refusal { throw Problem(error) }
        guard context.server.engine.mayRun else {
            throw Problem(
                .storageUnavailable,
                "This server has no lease, so it runs no jobs: the database did not renew it in time. It asks again "
                    + "twice a second. If that lasts, look at the database and at the connection to it.")
        }
        context.server.store.checkHealth { result in
            context.onLoop { () throws(Problem) in
                try stored(result.get())
                context.answer(.ok, json: Array("{\"status\":\"ready\"}\n".utf8))
            }
        }
    }
}
