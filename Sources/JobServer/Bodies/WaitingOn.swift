import JobKit
import JobStore
import StrictJSON

/// What a suspended job waits for, as JSON.
enum WaitingOn {
    /// Whether there is anything.
    static func isThere(_ detail: JobDetail) -> Bool {
        detail.hold != nil || detail.turn != nil || !detail.waits.isEmpty
    }

    /// Appends `"waiting_on":[…]`, unless it waits for nothing.
    static func append(_ detail: JobDetail, to json: inout JSONWriter) {
        guard isThere(detail) else { return }
        json.name("waiting_on")
        json.beginArray()
        if let hold = detail.hold { append(hold, to: &json) }
        if let turn = detail.turn { append(turn, to: &json) }
        for wait in detail.waits { append(wait, to: &json) }
        json.endArray()
    }

    private static func append(_ hold: JournalFold.HoldNote, to json: inout JSONWriter) {
        json.beginObject()
        json.member("kind", "hold")
        json.member("ref", hold.by)
        let why = hold.reason.map { ": \($0)" } ?? ""
        json.member("detail", "\(hold.by) holds it\(why). Release it with :release.")
        json.member("since", hold.since)
        json.endObject()
    }

    private static func append(_ turn: JobDetail.Turn, to json: inout JSONWriter) {
        json.beginObject()
        json.member("kind", "unique")
        json.member("ref", turn.key)
        json.member(
            "detail",
            "It waits until all jobs before it with the unique key \(turn.key) are over; \(turn.holder) had it when this one came."
        )
        json.member("since", turn.since)
        json.endObject()
    }

    private static func append(_ operation: JobDetail.WaitingOperation, to json: inout JSONWriter) {
        let wait = operation.wait
        json.beginObject()
        json.member("kind", wait.kind)
        if let key = wait.key { json.member("ref", key) }
        json.member(
            "operation", operation.path.isEmpty ? operation.name : operation.path.joined(separator: "/"))
        json.member("detail", "\(operation.name) waits for \(wait.phrase).")
        if wait.reason == .approval, let id = wait.key { json.member("approval", id) }
        if wait.reason == .origin, let origin = wait.key { json.member("origin", origin) }
        if let since = operation.since { json.member("since", since) }
        if let until = wait.until { json.member("estimated_until", until) }
        json.endObject()
    }
}

extension OperationWait {
    /// The word in `waiting_on`.
    var kind: String {
        switch reason {
        case .delay, .retry, .repetition, .poll, .timeWindow: "time"
        case .signal: "signal"
        case .approval: "approval"
        case .grant, .reachability: "condition"
        case .exclusion: "mutex"
        case .hold: "hold"
        case .origin: "origin"
        }
    }

    /// What it is, to come behind "waits for".
    var phrase: String {
        switch reason {
        case .delay: "its delay to end"
        case .retry: "its next attempt"
        case .repetition: "its next run"
        case .poll: "its next poll"
        case .signal: "the signal \(key ?? "")"
        case .approval: "an approval"
        case .grant: "the grant \(key ?? "")"
        case .exclusion: "the exclusive key \(key ?? "")"
        case .reachability: "its next try to reach \(key ?? "its target")"
        case .timeWindow: "its time window to open"
        case .hold: "a person to release it"
        case .origin: "its origin: \(detail ?? key ?? "")"
        }
    }
}
