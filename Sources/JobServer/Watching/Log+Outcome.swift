import JobKit
import JobRunner
import StrictJSON

extension Log {
    /// Logs the end of a job in one line.
    func write(_ outcome: JobOutcome) {
        write(.info, "job_ended") { line in
            line.member("job_id", outcome.id.description)
            line.member("name", outcome.name)
            line.member("type", outcome.type)
            line.member("queue", outcome.queue)
            line.member("state", outcome.state.rawValue)
            line.member("attempts", outcome.attempts)
            line.member("duration_ms", outcome.duration.wholeMilliseconds)
            if let code = outcome.errorCode { line.member("error", code) }
        }
    }
}
