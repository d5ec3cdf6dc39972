import JobKit
import JobRunner
import JobStore
import StrictJSON

/// One reason why a job or an operation waits, as text and as data.
struct WaitCause: Sendable, Hashable {
    /// The category: `dependency`, `condition`, `mutex`, `origin`, `capacity`, `queue`, `unique`, `group`, `time`,
    /// `signal`, `approval`, `hold`, `members`, `work` or `stop`.
    var kind: String
    /// The name of the awaited thing, such as a queue or a key.
    var ref: String?
    /// The reason, for people.
    var detail: String
    /// The event that ends the wait, for people.
    var next: String
    /// The start of the wait.
    var since: Timestamp?
    /// The latest end of the wait.
    var until: Timestamp?
    /// The number of jobs or operations ahead in the line.
    var ahead: Int?
    /// The job that holds the awaited resource.
    var holder: String?

    /// Writes the cause as one JSON object.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("kind", kind)
        if let ref { json.member("ref", ref) }
        json.member("detail", detail)
        if let since { json.member("since", since) }
        if let until { json.member("estimated_until", until) }
        if let ahead { json.member("ahead", ahead) }
        if let holder { json.member("holder", holder) }
        json.endObject()
    }

    // MARK: The kinds

    /// Another operation must finish first.
    static func dependency(_ name: String, _ requirement: EdgeRequirement? = nil) -> WaitCause {
        let how = requirement.map { $0 == .finished ? "" : ", and only if it \($0.rawValue)" } ?? ""
        return WaitCause(
            kind: "dependency", ref: name, detail: "\(name) is not finished.",
            next: "It begins when \(name) is finished\(how).")
    }

    /// The enclosing group has not started.
    static func group(_ name: String) -> WaitCause {
        WaitCause(
            kind: "group", ref: name, detail: "Its group \(name) has not begun.",
            next: "It begins with its group.")
    }

    /// All slots are taken.
    static func capacity(_ ref: String, _ detail: String, ahead: Int?) -> WaitCause {
        WaitCause(
            kind: "capacity", ref: ref, detail: detail, next: "It begins when a place becomes free.",
            ahead: ahead)
    }

    /// The engine has not claimed the job yet.
    static func queue(of job: JobRecord) -> WaitCause {
        WaitCause(
            kind: "queue", ref: job.queue, detail: "It is runnable and waits for the server.",
            next: "It begins when a place becomes free.")
    }

    /// Another job holds the exclusive key.
    static func exclusion(_ key: String, holder: String?, ahead: Int?) -> WaitCause {
        WaitCause(
            kind: "mutex", ref: key,
            detail: "The exclusive key \(key) is held\(holder.map { " by \($0)" } ?? "").",
            next: "It begins when the key is given back and nobody is before it in the line.", ahead: ahead,
            holder: holder)
    }

    /// Members have not finished.
    static func members(_ names: [String], more: Int) -> WaitCause {
        let list = names.joined(separator: ", ") + (more > 0 ? " and \(more) more" : "")
        return WaitCause(
            kind: "members", ref: names.first, detail: "Unfinished inside: \(list).",
            next: "It ends when everything inside has ended.")
    }

    /// The operation runs last, and another member of its group has not finished.
    static func others(in group: String) -> WaitCause {
        WaitCause(
            kind: "dependency", ref: group, detail: "It comes finally, and \(group) is not that far.",
            next: "It begins when everything else in \(group) has ended, whatever became of it.")
    }

    /// A cancellation was requested.
    static let stop = WaitCause(
        kind: "stop", detail: "Its work was asked to stop and has not stopped.",
        next: "It ends when the work stops, or is abandoned after its grace period.")

    /// An attempt is in flight.
    static let work = WaitCause(
        kind: "work", detail: "An attempt is in flight.", next: "It goes on when the attempt ends.")

    /// A person holds the job.
    static func hold(_ note: JournalFold.HoldNote?) -> WaitCause {
        let who = note.map { "\($0.by) holds the job\($0.reason.map { ": \($0)" } ?? "")." }
        return WaitCause(
            kind: "hold", ref: note?.by, detail: who ?? "A person holds it.",
            next: "It goes on after :release.", since: note?.since)
    }

    /// A wait that may suspend the job, such as for a time, a signal or an approval.
    static func lasting(_ wait: OperationWait, since: Timestamp?) -> WaitCause {
        WaitCause(
            kind: wait.kind, ref: wait.key, detail: "It waits for \(wait.phrase).", next: next(after: wait),
            since: since, until: wait.until)
    }

    private static func next(after wait: OperationWait) -> String {
        switch wait.reason {
        case .signal:
            "It goes on when the signal comes: POST /v1/jobs/{id}/signals/\(wait.key ?? "{name}")."
        case .approval:
            "It goes on when a person answers: POST /v1/approvals/\(wait.key ?? "{id}"):approve or :reject."
        case .hold: "It goes on after :release."
        case .exclusion: "It begins when the key is given back and nobody is before it in the line."
        case .origin:
            "It asks again \(wait.until.map { "at \($0)" } ?? "then"), or at once after POST /v1/origins/{host}:reset."
        default: wait.until.map { "It goes on at \($0)." } ?? "It goes on when that has come."
        }
    }
}
