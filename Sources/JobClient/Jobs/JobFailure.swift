internal import StrictJSON

/// The error of a job that did not succeed, as text for people.
struct JobFailure {
    private let job: JobFacts

    /// The number of bytes of an answer that are shown.
    private static let excerptBytesMax = 200

    /// Nil for a job without an error.
    init?(_ job: JobFacts) {
        guard job.errorCode != nil else { return nil }
        self.job = job
    }

    /// The failed operation, its attempts, and the status of the answer or the reason:
    /// `login/token failed after 3 attempts: HTTP 400 [http.status]`. Of a job that is one operation:
    /// `HTTP 400 [http.status], after 3 attempts`.
    var summary: String {
        let after = job.failedAttempt.map { "after \(Self.attempts($0))" }
        let head = job.failedOperation.map { "\($0) failed\(after.map { " \($0)" } ?? ""): " }
        let tail = head == nil ? after.map { ", \($0)" } ?? "" : ""
        let others = job.errorCount - 1
        let more = others > 0 ? ", and \(others) more \(others == 1 ? "error" : "errors")" : ""
        return (head ?? "") + reason + (job.errorCode.map { " [\($0)]" } ?? "") + tail + more
    }

    /// The beginning of the upstream's answer, on one line; nil when there is none.
    var answer: String? {
        guard let excerpt = job.upstreamExcerpt, !excerpt.isEmpty else { return nil }
        var text = ""
        var count = 0
        for scalar in excerpt.unicodeScalars {
            count += scalar.utf8.count
            guard count <= Self.excerptBytesMax else { return text.onOneLine + "…" }
            text.unicodeScalars.append(scalar)
        }
        return text.onOneLine
    }

    /// The command that shows everything.
    var remedy: String { "jobserver get \(job.id) --json" }

    /// All of it, in lines below the first.
    var text: String {
        summary + (answer.map { "\n  answer: \($0)" } ?? "") + "\n  show all: \(remedy)"
    }

    private var reason: String {
        let text = job.errorText ?? ""
        guard let status = job.upstreamStatus else { return text }
        // The text of such an error says the status, and where the answer is.
        return job.errorCode == Self.statusCode ? "HTTP \(status)" : "\(text) (HTTP \(status))"
    }

    /// The code of an answer with a status that was not expected.
    private static let statusCode = "http.status"

    private static func attempts(_ count: Int) -> String { count == 1 ? "1 attempt" : "\(count) attempts" }
}
