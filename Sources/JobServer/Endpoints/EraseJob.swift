import HTTPMessage
import JobKit
import JobStore

/// `DELETE /v1/jobs/{id}`: erases a finished job and everything about it.
enum EraseJob {
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.jobID()
        context.auditedStore.erase(id) { result in
            context.goOn { () throws(Problem) in
                switch result {
                case .success:
                    context.answer(HTTPResponse(status: .noContent, fields: HTTPFields(), body: .empty))
                case .failure(let error):
                    switch error.code {
                    case .notFound: throw RequestContext.unknown(id)
                    case .wrongState(let state):
                        throw Problem(
                            .jobNotFinished, "The job is \(state.rawValue). Cancel it first with :cancel.")
                    default: throw Problem(error)
                    }
                }
            }
        }
    }
}
