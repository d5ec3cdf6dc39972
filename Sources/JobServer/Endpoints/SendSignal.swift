import HTTPMessage
import JobKit
import JobRunner
import JobStore
import StrictJSON

/// `POST /v1/jobs/{id}/signals/{name}`: gives a job a value that an `await` operation of it waits for, or will.
enum SendSignal {
    /// The largest value, as bytes of JSON.
    static let bytesMax = 256 << 10

    /// Stores the signal durably: 202 with the job.
    static func handle(_ context: RequestContext) throws(Problem) {
        try context.refuseQuery()
        let id = try context.jobID()
        let name = try signalName(context)
        let message = JobMessage(
            by: context.caller.name, content: .signal(name: name, value: try value(context.request)))
        let post = JobPost(
            id: id, journal: JournalEntry(at: context.startedAt, path: [], event: .message(message)))
        context.server.store.post(post) { result in
            if case .success(let receipt) = result, receipt.isRunning {
                context.server.engine.deliver(message, number: receipt.number, to: id)
            }
            context.onLoop { () throws(Problem) in
                do throws(JobStoreError) {
                    let job = try result.get().job
                    JobAnswer.send(context, .accepted, job, HTTPFields(), waited: false)
                } catch {
                    throw error.code == .notFound ? RequestContext.unknown(id) : Problem(error)
                }
            }
        }
    }

    private static func signalName(_ context: RequestContext) throws(Problem) -> String {
        let name = context.lastPathPart
        guard JobSpecReader.isName(name) else {
            throw Problem(
                .notFound,
                "\"\(name)\" is not the name of a signal. Names begin with a to z and go on with a to z, 0 to 9, _ "
                    + "and -, at most 63 characters.")
        }
        return name
    }

    /// The value in the body; null when there is none.
    private static func value(_ request: HTTPRequest) throws(Problem) -> JSONValue {
        guard !request.body.isEmpty else { return .null }
        try Negotiation.checkJSONBody(request.head)
        do { return try JSONParser.parse(request.body) } catch {
            throw Problem(
                .malformedJSON, "Line \(error.line), column \(error.column): \(error.detail)",
                items: [
                    Problem.Item(
                        pointer: error.pointer.description, code: error.code.rawValue, detail: error.detail)
                ])
        }
    }
}
