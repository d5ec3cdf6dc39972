internal import JobKit
internal import StrictJSON

/// A job as the server shows it.
struct JobFacts: Sendable {
    let json: JSONValue

    init(_ json: JSONValue) { self.json = json }

    private func text(_ pointer: String) -> String? { at(pointer)?.string }

    func at(_ pointer: String) -> JSONValue? { JSONPointer(pointer)?.resolve(in: json) }

    func number(_ pointer: String) -> Int? { at(pointer)?.number?.int }

    var id: String { text("/id") ?? "" }
    var name: String { text("/name") ?? "" }
    var type: String { text("/type") ?? "" }
    var queue: String { text("/queue") ?? "" }
    var state: String { text("/state") ?? "" }
    var isDone: Bool { at("/done")?.bool ?? false }
    var hasSucceeded: Bool { state == "succeeded" }
    var created: String { text("/created_at") ?? "" }
    var finished: String? { text("/finished_at") }
    var errorCode: String? { text("/error/code") }

    /// The address of the operation that failed; nil when it is the whole job.
    var failedOperation: String? {
        text("/error/operation").flatMap { OperationAddress.path($0).isEmpty ? nil : $0 }
    }
    /// The number of its last attempt.
    var failedAttempt: Int? { number("/error/attempt") }
    /// The number of errors of the job.
    var errorCount: Int { at("/errors")?.array?.count ?? (errorCode == nil ? 0 : 1) }
    var upstreamStatus: Int? { number("/error/upstream/status") }
    /// The beginning of the upstream's answer.
    var upstreamExcerpt: String? { text("/error/upstream/body_excerpt") }

    /// Title and detail of the error.
    var errorText: String? {
        guard let title = text("/error/title") else { return nil }
        return title + (text("/error/detail").map { ": \($0)" } ?? "")
    }

    /// The reason why the job ended without success, with the code.
    var error: String? { JobFailure(self)?.summary }

    /// The reason for the last wait or failure of an unfinished job.
    var wait: String? {
        at("/waiting_on")?.array?.first?.object?["detail"]?.string ?? text("/last_error/title")
    }
}
