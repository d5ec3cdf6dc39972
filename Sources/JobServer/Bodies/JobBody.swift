import JobKit
import JobRunner
import JobSpec
import JobStore
import StrictJSON

/// The JSON of jobs. Assembled without a JSON writer, since every read and every submission ends here.
enum JobBody {
    /// The bytes of one job, with a trailing line feed so that a terminal prompt starts on a new line.
    /// - Parameters:
    ///   - live: the live progress, which overrides the stored one.
    ///   - extras: further members, without braces.
    ///   - base: the prefix of links.
    static func bytes(
        _ job: JobRecord, live: LiveProgress? = nil, extras: [UInt8] = [], base: String = ""
    ) -> [UInt8] {
        let size = 832 + job.detail.sizeEstimate + job.metadata.count + extras.count
        var text = ByteText(capacity: size)
        append(job, live, extras, base: base, to: &text)
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
        _ job: JobRecord, _ live: LiveProgress? = nil, _ extras: [UInt8] = [], base: String = "",
        extent: BodyExtent = .whole, to text: inout ByteText
    ) {
        text.put(#"{"id":""#)
        text.put(job.id)
        text.put(#"","name":"#)
        text.put(quoted: job.name)
        text.put(#","type":"#)
        text.put(quoted: job.type)
        text.put(#","queue":"#)
        text.put(quoted: job.queue)
        if let key = job.queueKey {
            text.put(#","queue_key":"#)
            text.put(quoted: key)
        }
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
        text.put(#","revision":"#)
        text.put(job.revision)
        // Once: to decode it takes as long as the rest.
        let detail = job.detail.values
        appendTimes(of: job, createdBy: detail.submission.createdBy, to: &text)
        text.put(#","attempt":"#)
        text.put(Int64(job.attempt))
        text.put(#","max_attempts":"#)
        text.put(Int64(job.attemptsMax))
        text.putMembers { json in
            WaitCause.write(WaitCause.all(of: job, detail), to: &json)
            DetailBody.append(
                detail, of: job.state, live, extent, of: base + JobPath.text(job.id), to: &json)
        }
        if !extras.isEmpty {
            text.put(",")
            text.put(extras)
        }
        appendLinks(of: job.state, job.id, base, to: &text)
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

    private static func appendTimes(of job: JobRecord, createdBy: String?, to text: inout ByteText) {
        text.put(#","created_at":"#, job.createdAt)
        if let name = createdBy {
            text.put(#","created_by":"#)
            text.put(quoted: name)
        }
        if let time = job.runAt { text.put(#","run_at":"#, time) }
        if let time = job.startedAt { text.put(#","started_at":"#, time) }
        if let time = job.finishedAt { text.put(#","finished_at":"#, time) }
        if let time = job.startBy { text.put(#","start_by":"#, time) }
        if let time = job.finishBy { text.put(#","finish_by":"#, time) }
        if let time = job.purgeAt { text.put(#","erase_at":"#, time) }
        if job.state == .retrying, let time = job.dueAt { text.put(#","next_attempt_at":"#, time) }
    }

    private static func appendLinks(
        of state: JobState, _ id: JobID, _ base: String, to text: inout ByteText
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
            if state.successors.isEmpty {
                text.put(#"/spec"}"#)
            } else {
                link(#"/spec","retry":""#)
                text.put(#":retry"}"#)
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
