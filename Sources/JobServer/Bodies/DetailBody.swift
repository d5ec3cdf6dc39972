import JobKit
import JobStore
import StrictJSON

/// What is known of a job beyond its record, as members of the job.
enum DetailBody {
    /// Appends the members, without what is past: a job that goes on again does not wait for what it was suspended for,
    /// and its operations are elsewhere. An error that it tries again after stays.
    /// - Parameters:
    ///   - progress: how far it is now, which counts more than what was stored of it.
    ///   - isReduced: whether `errors` is left out, which begins with `error`.
    static func append(
        _ detail: JobDetail, of state: JobState, _ progress: JobProgress?, isReduced: Bool,
        to json: inout JSONWriter
    ) {
        let isInFlight = state == .running || state == .cancelling
        if let progress = progress ?? detail.progress { append(progress, to: &json) }
        if let error = detail.lastError {
            json.name("last_error")
            error.write(to: &json)
        }
        if let error = detail.errors.first {
            json.name("error")
            error.write(to: &json)
            if !isReduced {
                json.name("errors")
                AOperationError.write(detail.errors, to: &json)
            }
        }
        if let result = detail.result { ResultBody.append(result, to: &json) }
        if detail.isAbandoned { json.member("abandoned", true) }
        if !isInFlight { append(detail.operations, to: &json) }
    }

    /// Appends `"progress":{done, total, unit, percent}`; what is not known is left out.
    private static func append(_ progress: JobProgress, to json: inout JSONWriter) {
        json.name("progress")
        json.beginObject()
        json.member("done", progress.done)
        if let total = progress.total { json.member("total", total) }
        if let unit = progress.unit { json.member("unit", unit) }
        if let percent = progress.percent { json.member("percent", percent) }
        json.endObject()
    }

    private static func append(_ operations: [JobState: Int], to json: inout JSONWriter) {
        guard !operations.isEmpty else { return }
        json.name("operations")
        json.beginObject()
        json.member("total", operations.values.reduce(0, +))
        json.name("by_state")
        json.beginObject()
        for state in JobState.allCases {
            if let count = operations[state] { json.member(state.rawValue, count) }
        }
        json.endObject()
        json.endObject()
    }
}
