package import JobKit
package import StrictJSON

/// A time in a spec: `run_at`, `start_by` or `finish_by`.
package enum SpecTime: Sendable, Hashable {
    /// A date, also one that was written as a local time.
    case at(Timestamp)
    /// A duration from the submission of the job.
    case after(Duration)

    /// The date in a job that was submitted at `start`.
    package func date(from start: Timestamp) -> Timestamp {
        switch self {
        case .at(let date): date
        case .after(let duration): start.advanced(by: duration)
        }
    }

    /// The form in plans.
    package var json: JSONValue {
        switch self {
        case .at(let date): .string(date.description)
        case .after(let duration): .string(DurationText.text(duration))
        }
    }
}
