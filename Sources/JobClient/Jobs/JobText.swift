internal import JobKit
internal import StrictJSON

/// Jobs and their events as text for people.
enum JobText {
    /// The head of a list of jobs.
    static let head = row("ID", "STATE", "TYPE", "CREATED", "ERROR", "NAME")

    /// A job in a line of a list.
    /// - Parameter now: the time from which ages count; nil to show times as they are.
    static func line(_ job: JobFacts, now: Timestamp?) -> String {
        row(
            job.id, job.state, job.type, AgeText.shown(job.created, now: now), job.errorCode ?? "-",
            job.name.onOneLine)
    }

    private static func row(
        _ id: String, _ state: String, _ type: String, _ time: String, _ error: String, _ name: String
    ) -> String {
        let columns = [(id, 30), (state, 10), (type, 9), (time, 24), (error, 18)]
        return columns.map { padded($0.0, $0.1) + "  " }.joined() + name
    }

    /// A job with everything that matters.
    static func full(_ job: JobFacts) -> String {
        var rows: [(String, String?)] = [
            ("id", job.id), ("state", job.state), ("type", job.type), ("name", job.name),
            ("queue", job.queue),
            ("created", job.created), ("run at", job.at("/run_at")?.string),
            ("start by", job.isDone ? nil : job.at("/start_by")?.string),
            ("finish by", job.isDone ? nil : job.at("/finish_by")?.string),
            ("started", job.at("/started_at")?.string), ("ended", job.finished),
        ]
        if let attempt = job.number("/attempt"), attempt > 0 {
            rows.append(("attempts", "\(attempt) of \(job.number("/max_attempts") ?? attempt)"))
        }
        if let done = job.number("/progress/done"), !job.isDone {
            let unit = job.at("/progress/unit")?.string
            let total = job.number("/progress/total").map { " of \(ProgressLine.amount($0, unit))" }
            rows.append(("progress", ProgressLine.amount(done, unit) + (total ?? "")))
        }
        if let done = job.number("/operations/done"), let total = job.number("/operations/total") {
            let failed = job.number("/operations/failed").map { $0 > 0 ? ", \($0) failed" : "" } ?? ""
            rows.append(("done", "\(done) of \(total) operations\(failed)"))
            rows.append(("estimate", job.at("/operations/estimated_until")?.string))
        }
        if !job.isDone { rows.append(("waits", job.wait)) }
        if let status = job.number("/result/status") { rows.append(("status", "\(status)")) }
        if let bytes = job.number("/result/bytes") {
            rows.append(("result", "\(bytes) bytes " + (job.at("/result/content_type")?.string ?? "")))
        }
        if let failure = JobFailure(job) {
            rows.append(("error", failure.summary))
            rows.append(("answer", failure.answer))
            rows.append(("all", failure.remedy))
        }
        return rows.compactMap { name, value in value.map { padded(name, 10) + $0 } }.joined(separator: "\n")
    }

    /// An event of a job: time, operation, type, and the other members.
    static func event(_ json: JSONValue) -> String {
        guard let object = json.object else { return json.text }
        let heads = ["at", "operation", "type"].map { object[$0]?.string ?? "" }
        let rest = object.members.filter { !["sequence", "at", "operation", "type"].contains($0.name) }
        let facts = rest.map { " \($0.name)=\($0.value.string ?? $0.value.text)" }.joined()
        return (heads.filter { !$0.isEmpty }.joined(separator: " ") + facts).onOneLine
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(0, width - text.count))
    }
}

extension JSONValue {
    var text: String { String(decoding: encoded(), as: UTF8.self) }
}
