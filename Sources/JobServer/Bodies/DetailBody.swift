import JobKit
import JobStore
import StrictJSON

/// The facts about a job beyond its record, as members of the job.
enum DetailBody {
    /// Appends the members, without outdated ones: a resumed job has neither waits nor counts of its suspension. An
    /// error that is followed by a retry stays.
    /// - Parameters:
    ///   - live: the live progress, which overrides the stored one.
    ///   - extent: how much of the result and the errors is shown.
    ///   - job: the address of the job.
    static func append(
        _ detail: JobDetail, of state: JobState, _ live: LiveProgress?, _ extent: BodyExtent,
        of job: @autoclosure () -> String, to json: inout JSONWriter
    ) {
        let isInFlight = state == .running || state == .cancelling
        if let progress = live?.reported ?? detail.progress { append(progress, to: &json) }
        if let error = detail.lastError {
            let job = job()
            switch extent {
            case .summary: ErrorBody.append("last_error", error.short, wholeAt: job, to: &json)
            case .listed: ErrorBody.append("last_error", ErrorBody.listed(error), wholeAt: job, to: &json)
            case .first, .whole:
                ErrorBody.append("last_error", error.ofAttempt, wholeAt: "\(job)/attempts", to: &json)
            }
        }
        if !detail.errors.isEmpty {
            let job = job()
            ErrorBody.append(detail.errors, extent, of: job, wholeAt: job, to: &json)
        }
        if let result = detail.result { ResultBody.append(result, extent, to: &json) }
        if let call = detail.call {
            json.name("call")
            json.beginObject()
            json.member("method", call.method)
            json.member("url", call.url)
            json.endObject()
        }
        if detail.isAbandoned { json.member("abandoned", true) }
        if !isInFlight {
            append(OperationCounts(detail.operations), byState: detail.operations, to: &json)
        } else if let counts = live?.operations {
            append(counts, to: &json)
        }
    }

    /// Appends `"progress":{done, total, unit, percent}`; unknown members are omitted.
    private static func append(_ progress: JobProgress, to json: inout JSONWriter) {
        json.name("progress")
        json.beginObject()
        json.member("done", progress.done)
        if let total = progress.total { json.member("total", total) }
        if let unit = progress.unit { json.member("unit", unit) }
        if let percent = progress.percent { json.member("percent", percent) }
        json.endObject()
    }

    /// Appends `"operations":{total, done, failed, estimated_until, by_state}`; unknown members are omitted.
    private static func append(
        _ counts: OperationCounts, byState states: [JobState: Int] = [:], to json: inout JSONWriter
    ) {
        guard counts.total > 0 else { return }
        json.name("operations")
        json.beginObject()
        json.member("total", counts.total)
        json.member("done", counts.done)
        json.member("failed", counts.failed)
        if let date = counts.estimatedUntil { json.member("estimated_until", date) }
        if !states.isEmpty {
            json.name("by_state")
            json.beginObject()
            for state in JobState.allCases {
                if let count = states[state] { json.member(state.rawValue, count) }
            }
            json.endObject()
        }
        json.endObject()
    }
}
