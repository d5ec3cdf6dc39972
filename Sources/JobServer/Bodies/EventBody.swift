import JobKit
import JobStore
import StrictJSON

/// The JSON of job events.
enum EventBody {
    /// Appends one event: `{sequence, at, operation, type, …}`.
    static func append(_ entry: NumberedEntry, to json: inout JSONWriter) {
        json.beginObject()
        json.member("sequence", entry.sequence)
        json.member("at", entry.entry.at)
        json.member("operation", OperationAddress.text(of: entry.entry.path))
        append(entry.entry.event, to: &json)
        json.endObject()
    }

    private static func append(_ event: JournalEntry.Event, to json: inout JSONWriter) {
        switch event {
        case .started:
            json.member("type", "started")
        case .attemptStarted(let number, let method, let url):
            json.member("type", "attempt_started")
            json.member("attempt", number)
            if let method { json.member("method", method) }
            if let url { json.member("url", url) }
        case .attemptFinished(let record):
            json.member("type", "attempt_finished")
            json.member("attempt", record.number)
            json.member("state", record.outcome.rawValue)
            if let status = record.status { json.member("status", status) }
            if let error = record.error { json.member("error_code", error.code.description) }
            if let time = record.nextAttemptAt { json.member("next_attempt_at", time) }
        case .waiting(let wait):
            json.member("type", "waiting")
            WaitCause(subject: .wait(wait)).writeFacts(to: &json)
            if let until = wait.until { json.member("until", until) }
        case .noted(let name, _):
            json.member("type", "note_added")
            json.member("name", name)
        case .took(let number, _):
            json.member("type", "signal_taken")
            json.member("message", number)
        case .leftOut(let attempts, let polls):
            json.member("type", "left_out")
            json.member("attempts", attempts)
            json.member("polls", polls)
        case .approvalRequested(let request):
            json.member("type", "approval_requested")
            json.member("approval_id", request.id.description)
            if let until = request.expiresAt { json.member("until", until) }
        case .approvalExpired(let id, let isApproved):
            json.member("type", "approval_expired")
            json.member("approval_id", id.description)
            json.member("state", isApproved ? "approved" : "expired")
        case .message(let message):
            append(message, to: &json)
        case .finished(let ending):
            json.member("type", "finished")
            json.member("state", ending.state.rawValue)
            if let error = ending.errors.first { json.member("error_code", error.code.description) }
            if ending.abandoned { json.member("abandoned", true) }
        case .cancelRequested(let by, let reason, _):
            json.member("type", "cancel_requested")
            json.member("by", by: by)
            if let reason { json.member("reason", reason) }
        case .retried(let by):
            json.member("type", "retried")
            json.member("by", by: by)
        }
    }

    private static func append(_ message: JobMessage, to json: inout JSONWriter) {
        switch message.content {
        case .signal(let name, _):
            json.member("type", "signal_received")
            json.member("name", name)
        case .content(let name, _):
            json.member("type", "signal_received")
            json.member("name", name)
        case .report(let report):
            json.member("type", report.failure == nil ? "callback_received" : "callback_failed")
            json.member("for", OperationAddress.text(of: report.place.path))
            json.member("code", ifKnown: report.failure?.code)
        case .approval(let id, let isApproved, let comment):
            json.member("type", isApproved ? "approved" : "rejected")
            json.member("approval_id", id)
            if let comment { json.member("comment", comment) }
        case .member(let group, let spec):
            json.member("type", "operation_added")
            json.member("group", OperationAddress.text(of: group))
            if let name = spec.object?["name"]?.string { json.member("name", name) }
        case .hold(let reason):
            json.member("type", "held")
            if let reason { json.member("reason", reason) }
        case .release:
            json.member("type", "released")
        }
        json.member("by", by: message.by)
    }
}
