import JobKit
import JobStore
import StrictJSON

/// A job as JSON.
enum JobBody {
    /// The bytes of one job, with a line feed at the end so that a terminal stays tidy.
    static func bytes(_ job: JobRecord, now: Timestamp) -> [UInt8] {
        var json = JSONWriter()
        append(job, now: now, to: &json)
        return json.line()
    }

    /// The few members of `Prefer: return=minimal`.
    static func minimal(_ job: JobRecord) -> [UInt8] {
        var json = JSONWriter()
        json.beginObject()
        json.member("id", job.id)
        json.member("state", job.state.rawValue)
        json.member("done", job.state.isFinal)
        json.endObject()
        return json.line()
    }

    /// Appends one job.
    static func append(_ job: JobRecord, now: Timestamp, to json: inout JSONWriter) {
        json.beginObject()
        json.member("id", job.id)
        json.member("name", job.name)
        json.member("type", job.type)
        json.member("queue", job.queue)
        json.member("priority", Int64(job.priority))
        json.name("labels")
        json.beginObject()
        for label in job.labels { json.member(label.key, label.value) }
        json.endObject()
        if !job.metadata.isEmpty { json.member("metadata", raw: job.metadata) }
        json.member("state", job.state.rawValue)
        json.member("done", job.state.isFinal)
        if let outcome = job.state.outcome { json.member("outcome", outcome) }
        json.member("revision", job.revision)
        appendTimes(of: job, to: &json)
        json.member("attempt", Int64(job.attempt))
        json.member("max_attempts", Int64(job.attemptsMax))
        appendWaitingOn(job, to: &json)
        if !job.detail.isEmpty { json.raw(job.detail) }
        appendLinks(job, to: &json)
        json.endObject()
    }

    private static func appendTimes(of job: JobRecord, to json: inout JSONWriter) {
        json.member("created_at", job.createdAt)
        if let time = job.runAt { json.member("run_at", time) }
        if let time = job.startedAt { json.member("started_at", time) }
        if let time = job.finishedAt { json.member("finished_at", time) }
        if let time = job.expiresAt { json.member("expires_at", time) }
        if let time = job.purgeAt { json.member("purge_at", time) }
        if job.state == .retrying, let time = job.dueAt { json.member("next_attempt_at", time) }
    }

    /// Why a job that was not started yet is not running. What a started job waits for, the engine writes.
    private static func appendWaitingOn(_ job: JobRecord, to json: inout JSONWriter) {
        switch job.state {
        case .scheduled:
            json.name("waiting_on")
            json.beginArray()
            json.beginObject()
            json.member("kind", "time")
            json.member("detail", "starts at run_at")
            if let time = job.dueAt { json.member("estimated_until", time) }
            json.endObject()
            json.endArray()
        case .queued:
            json.name("waiting_on")
            json.beginArray()
            json.beginObject()
            json.member("kind", "queue")
            json.member("ref", job.queue)
            json.member("detail", "runnable; waits for capacity")
            json.endObject()
            json.endArray()
        default: break
        }
    }

    private static func appendLinks(_ job: JobRecord, to json: inout JSONWriter) {
        let url = JobPath.text(job.id)
        json.name("links")
        json.beginObject()
        link("self", url, "", &json)
        link("events", url, "/events", &json)
        link("operations", url, "/operations", &json)
        link("attempts", url, "/attempts", &json)
        link("spec", url, "/spec", &json)
        switch job.state {
        case .succeeded: link("result", url, "/result", &json)
        case .failed, .cancelled, .expired, .skipped:
            link("error", url, "/error", &json)
            if !job.state.successors.isEmpty { link("retry", url, ":retry", &json) }
        default: link("cancel", url, ":cancel", &json)
        }
        json.endObject()
    }

    private static func link(_ name: String, _ url: String, _ part: String, _ json: inout JSONWriter) {
        json.member(name, url + part)
    }
}

/// The path of a job.
enum JobPath {
    private static let start = Array("/v1/jobs/".utf8)

    /// `/v1/jobs/job_…`
    static func text(_ id: JobID) -> String { String(decoding: start + id.utf8, as: UTF8.self) }
}
