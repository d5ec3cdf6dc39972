/// The labels that the server alone gives, to the jobs that it makes: set by clients, lists by them would lie.
package enum ReservedLabel: String, Sendable, CaseIterable {
    /// The name of the schedule that made the job.
    case schedule
    /// The job whose end the job tells.
    case callbackOf = "callback_of"
    /// The name of the hook that made the job.
    case hook

    /// The problem of a spec with this label.
    package var detail: String {
        switch self {
        case .schedule: "The label \"schedule\" is set by the schedule that makes a job. Leave it out."
        case .hook: "The label \"hook\" is set by the hook that makes a job. Leave it out."
        case .callbackOf: "The label \"callback_of\" is set for the jobs that make callbacks. Leave it out."
        }
    }
}
