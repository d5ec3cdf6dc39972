import Commands
import JobKit
import JobStore

/// Why a job ended as it did, and what to do about it, in words.
struct EndedExplanation: Sendable {
    private let job: JobRecord
    /// The first error; nil for a job that succeeded.
    let error: AOperationError?
    private let others: Int

    /// - Parameter job: a job in a final state.
    init(_ job: JobRecord) {
        self.job = job
        let errors = job.detail.values.errors
        error = errors.first
        others = max(0, errors.count - 1)
    }

    /// One or two sentences: which operation, in which attempt, and what happened.
    var summary: String {
        guard let error else { return "The job is over: \(job.state.rawValue)." }
        guard job.state == .failed else { return "The job is over: \(job.state.rawValue). \(error.detail)" }
        let attempt = error.attempt.map { $0 > 0 ? ", attempt \($0)" : "" } ?? ""
        let more = others > 0 ? " \(Counted.text(others, "further error"))." : ""
        return "The job failed in \(place(of: error))\(attempt): \(Self.sentence(error.title))\(more)"
            + Self.reason(error.retryStoppedBy)
    }

    /// The remedy, whether the same again may help, and how to run it again.
    var next: String? {
        guard let error, !job.state.successors.isEmpty else { return nil }
        let again = "POST \(JobPath.text(job.id)):retry runs what has not succeeded again."
        guard job.state == .failed else { return again }
        let hope = error.retryable ? "It may succeed when it is repeated:" : "When that is done,"
        return "\(Self.sentence(error.detail)) \(hope) \(again)"
    }

    /// The operation in which it arose: its address, or the name of the job where that is all of it.
    private func place(of error: AOperationError) -> String {
        error.path.count > 1 ? OperationAddress.text(of: error.path.dropFirst()) : job.name
    }

    /// Why there was no further attempt.
    private static func reason(_ word: String?) -> String {
        switch word {
        case "attempts": " It has used all its attempts."
        case "budget": " Its origin has used up its budget of retries."
        case "policy": " Its retry policy does not repeat this error."
        case "unsafe_method": " It was not repeated, since the upstream may have acted."
        case "breaker": " The breaker of its origin is open."
        case "receiver": " The upstream asked for no retry."
        default: ""
        }
    }

    private static func sentence(_ text: String) -> String {
        text.utf8.last.map { ".!?".utf8.contains($0) } == true ? text : text + "."
    }
}
