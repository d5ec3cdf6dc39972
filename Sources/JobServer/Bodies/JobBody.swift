import JobKit
import JobRunner
import JobSpec
import JobStore
import StrictJSON

/// The JSON of jobs. Assembled without a JSON writer, since every read and every submission ends here.
enum JobBody {
    /// The bytes of one job, with a trailing line feed so that a terminal prompt starts on a new line.
    /// - Parameters:
    ///   - progress: the live progress, which overrides the stored one.
    ///   - extras: further members, without braces.
    ///   - base: the prefix of links.
    static func bytes(
        _ job: JobRecord, progress: JobProgress? = nil, extras: [UInt8] = [], base: String = ""
    ) -> [UInt8] {
        var text = ByteText(capacity: 832 + job.detail.count + job.metadata.count + extras.count)
        append(job, progress, extras, base: base, to: &text)
        text.put("\n")
        return text.bytes
    }

    /// The JSON of `Prefer: return=minimal`.
    static func minimal(_ job: JobRecord) -> [UInt8] {
        var text = ByteText(capacity: 96)
        appendMinimal(job.id, job.state, to: &text)
        text.put("\n")
        return text.bytes
    }

    /// Appends the members of `Prefer: return=minimal`.
    static func appendMinimal(_ id: JobID, _ state: JobState, to text: inout ByteText) {
        text.put(#"{"id":""#)
        text.put(id)
        text.put(#"","state":""#)
        text.put(state.rawValue)
        text.put(state.isFinal ? #"","done":true}"# : #"","done":false}"#)
    }

    static func append(
        _ job: JobRecord, _ progress: JobProgress? = nil, _ extras: [UInt8] = [], base: String = "",
        to text: inout ByteText
    ) {
        let id = job.id.utf8
        text.put(#"{"id":""#)
        text.put(id)
        text.put(#"","name":"#)
        text.put(quoted: job.name)
        text.put(#","type":"#)
        text.put(quoted: job.type)
        text.put(#","queue":"#)
        text.put(quoted: job.queue)
        text.put(#","priority":"#)
        text.put(Int64(job.priority))
        text.put(#","labels":{"#)
        appendLabels(of: job, to: &text)
        text.put(#"},"#)
        if !job.metadata.isEmpty {
            text.put(#""metadata":"#)
            text.put(job.metadata)
            text.put(",")
        }
        text.put(#""state":""#)
        text.put(job.state.rawValue)
        text.put(job.state.isFinal ? #"","done":true"# : #"","done":false"#)
        if let outcome = job.state.outcome {
            text.put(#","outcome":""#)
            text.put(outcome)
            text.put("\"")
        }
        text.put(#","revision":"#)
        text.put(job.revision)
        appendTimes(of: job, to: &text)
        text.put(#","attempt":"#)
        text.put(Int64(job.attempt))
        text.put(#","max_attempts":"#)
        text.put(Int64(job.attemptsMax))
        appendWaitingOn(job, to: &text)
        let detail = job.detail.isEmpty ? [] : currentDetail(of: job, hasProgress: progress != nil)
        if !detail.isEmpty {
            text.put(",")
            text.put(detail)
        }
        if let progress {
            var json = JSONWriter()
            progress.write(to: &json)
            text.put(#","progress":"#)
            text.put(json.bytes)
        }
        if !extras.isEmpty {
            text.put(",")
            text.put(extras)
        }
        appendLinks(of: job.state, id, base, to: &text)
        text.put("}")
    }

    private static func appendLabels(of job: JobRecord, to text: inout ByteText) {
        var isFirst = true
        for label in job.labels {
            if !isFirst { text.put(",") }
            isFirst = false
            text.put(quoted: label.key)
            text.put(":")
            text.put(quoted: label.value)
        }
    }

    private static func appendTimes(of job: JobRecord, to text: inout ByteText) {
        text.put(#","created_at":"#, job.createdAt)
        if let time = job.runAt { text.put(#","run_at":"#, time) }
        if let time = job.startedAt { text.put(#","started_at":"#, time) }
        if let time = job.finishedAt { text.put(#","finished_at":"#, time) }
        if let time = job.expiresAt { text.put(#","expires_at":"#, time) }
        if let time = job.purgeAt { text.put(#","purge_at":"#, time) }
        if job.state == .retrying, let time = job.dueAt { text.put(#","next_attempt_at":"#, time) }
    }

    /// The engine's members of a job, without those that no longer apply: a job that runs again does not wait for what
    /// suspended it, and its operation counts have moved on. The error that it retries after stays.
    private static func currentDetail(of job: JobRecord, hasProgress: Bool) -> [UInt8] {
        switch job.state {
        case .queued: JobDetail.removing(["waiting_on"], from: job.detail)
        case .running, .cancelling:
            JobDetail.removing(
                ["waiting_on", "operations"] + (hasProgress ? ["progress"] : []), from: job.detail)
        default: job.detail
        }
    }

    /// Appends the reason why a job that has not started is not running. The engine writes that of a started job.
    private static func appendWaitingOn(_ job: JobRecord, to text: inout ByteText) {
        guard job.state == .scheduled || job.state == .queued else { return }
        if job.state == .scheduled, EngineMembers.value("waiting_on", in: job.detail) != nil { return }
        if job.state == .scheduled {
            text.put(#","waiting_on":[{"kind":"time","detail":"starts at run_at""#)
            if let time = job.dueAt { text.put(#","estimated_until":"#, time) }
            text.put("}]")
        } else {
            text.put(#","waiting_on":[{"kind":"queue","ref":"#)
            text.put(quoted: job.queue)
            text.put(#","detail":"runnable; waits for capacity"}]"#)
        }
    }

    private static func appendLinks(
        of state: JobState, _ id: [UInt8], _ base: String, to text: inout ByteText
    ) {
        var address = ByteText(capacity: base.utf8.count + 48)
        address.put(base)
        address.put("/v1/jobs/")
        address.put(id)
        func link(_ name: String) {
            text.put(name)
            text.put(address.bytes)
        }
        link(#","links":{"self":""#)
        link(#"","events":""#)
        link(#"/events","operations":""#)
        link(#"/operations","attempts":""#)
        link(#"/attempts","spec":""#)
        switch state {
        case .succeeded:
            link(#"/spec","result":""#)
            link(#"/result","artifacts":""#)
            text.put(#"/artifacts"}"#)
        case .failed, .cancelled, .expired, .skipped:
            link(#"/spec","error":""#)
            if !state.successors.isEmpty {
                link(#"/error","retry":""#)
                text.put(#":retry"}"#)
            } else {
                text.put(#"/error"}"#)
            }
        default:
            link(#"/spec","cancel":""#)
            text.put(#":cancel"}"#)
        }
    }
}

enum JobPath {
    /// `/v1/jobs/job_…`
    static func text(_ id: JobID) -> String {
        "/v1/jobs/" + id.description
    }
}
