import JobKit
import JobStore
import StrictJSON

extension Log {
    /// Writes the outcome of a planned time: a skipped one is worth a line, a job has lines of its own.
    func write(_ occurrence: Occurrence, of schedule: String) {
        guard case .skipped(let reason, let detail) = occurrence.outcome else { return }
        let isExpected = reason == .excluded || reason == .paused
        write(isExpected ? .debug : .warning, "schedule_skipped") { line in
            line.member("schedule", schedule)
            line.member("scheduled_for", occurrence.scheduledFor.description)
            line.member("reason", reason.rawValue)
            if let detail { line.member("message", detail) }
        }
    }
}
