import HTTPMessage
import JobKit
import JobStore

/// `DELETE /v1/jobs/{id}`: erases a finished job and everything about it.
enum EraseJob {
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.jobID()
        context.auditedStore.perform(JobErasure(id)) { result in
            context.goOn { () throws(Problem) in
                if case .failure(let error) = result, case .wrongState(let state) = error.code {
                    throw Problem(
                        .jobNotFinished, "The job is \(state.rawValue). Cancel it first with :cancel.")
                }
                try stored(result.get())
                context.answer(HTTPResponse(status: .noContent))
            }
        }
    }
}
