internal import StrictJSON

/// The end of a job that ran a curl line, as curl would report it.
struct CurlOutcome {
    /// The exit code of curl.
    var code: Int32 = 0
    /// The message after `curl: (code)`.
    var message = ""
    /// The status of the answer; 0 without one.
    var status = 0
    var headers: [(name: String, value: String)] = []
    /// Whether the content is the job's result.
    var hasResult = false
    /// The content of an answer that ended the last attempt, as far as it was kept.
    var excerpt = ""

    /// The exit code for a status from 400 on with `-f`.
    static let failCode: Int32 = 22
    /// The exit code for output that cannot be written.
    static let writeCode: Int32 = 23
    static let urlCode: Int32 = 3

    init(_ job: JobFacts) {
        let source: String
        if job.hasSucceeded {
            hasResult = true
            source = "/result"
        } else {
            source = "/error/upstream"
            excerpt = job.at("/error/upstream/body_excerpt")?.string ?? ""
        }
        status = job.number(source + "/status") ?? 0
        for member in job.at(source + "/headers")?.object?.members ?? [] {
            for value in member.value.array ?? [member.value] {
                headers.append((member.name, value.string ?? ""))
            }
        }
        guard !job.hasSucceeded, job.errorCode != "http.status" else { return }
        code = Self.code(of: job)
        message = job.at("/error/detail")?.string ?? "The job ended as \(job.state)."
    }

    /// The value of the first field with a name.
    func header(_ name: String) -> String? {
        headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }

    /// The exit code of curl for the error of a job: that of libcurl, if it reported the error.
    private static func code(of job: JobFacts) -> Int32 {
        if job.at("/error/published_error/domain")?.string == "curl",
            let code = job.number("/error/published_error/code"), code > 0
        {
            return Int32(clamping: code)
        }
        return code(of: job.errorCode ?? "") ?? 56
    }

    /// The exit code of curl for an error code; nil for one that curl has no code for.
    static func code(of error: String) -> Int32? { codes.first { error.hasPrefix($0.prefix) }?.code }

    /// The exit codes of errors that the server finds by itself.
    private static let codes: [(prefix: String, code: Int32)] = [
        ("http.url", urlCode), ("dns.", 6), ("connect.", 7), ("egress.", 7), ("timeout.", 28), ("tls.", 35),
        ("http.redirect", 47), ("body.truncated", 18), ("body.encoding", 61), ("body.too_large", 63),
        ("http.protocol", 52), ("proxy.", 97), ("storage.", writeCode), ("cancelled.", 42),
    ]
}
