/// The state of a job or of an operation. The words are the same in JSON, logs and documents.
public enum JobState: String, Sendable, Hashable, CaseIterable {
    /// Waits for dependencies or conditions; `waiting_on` has the causes. The engine moves it on.
    case pending
    /// Waits for `run_at`. The clock moves it to `queued`, or to `expired`.
    case scheduled
    /// Runnable, waits for capacity. The engine's claim moves it to `running`.
    case queued
    /// An attempt is in flight.
    case running
    /// Started and suspended until a time; holds no slot. The clock moves it back to `running`.
    case waiting
    /// An attempt failed and the next one starts at `next_attempt_at`.
    case retrying
    /// Held by a person, until a release.
    case held
    /// A cancellation was requested and is not yet confirmed.
    case cancelling
    /// Final: the result is there.
    case succeeded
    /// Final: the error is there.
    case failed
    /// Final: stopped on request, of a person or of the parent.
    case cancelled
    /// Final: not started by `start_by`.
    case expired
    /// Final: not run, and that is no failure.
    case skipped

    /// Whether nothing moves it any more, except `retry`.
    public var isFinal: Bool {
        switch self {
        case .succeeded, .failed, .cancelled, .expired, .skipped: true
        default: false
        }
    }

    /// The states that may follow this one, in no order that means anything. A final state is left only by `retry`.
    public var successors: [JobState] {
        switch self {
        case .pending:
            [.scheduled, .queued, .running, .skipped, .failed, .held, .cancelled, .cancelling, .expired]
        case .scheduled: [.queued, .running, .failed, .expired, .held, .cancelled]
        case .queued: [.running, .failed, .expired, .held, .cancelling, .cancelled]
        case .running:
            [
                .succeeded, .failed, .retrying, .waiting, .pending, .scheduled, .queued, .held, .cancelling,
                .cancelled, .skipped,
            ]
        case .retrying: [.queued, .running, .failed, .held, .cancelling, .cancelled]
        case .waiting: [.queued, .running, .succeeded, .failed, .held, .cancelling, .cancelled]
        case .held:
            [
                .pending, .scheduled, .queued, .running, .waiting, .retrying, .failed, .cancelling,
                .cancelled, .expired,
            ]
        case .cancelling: [.cancelled, .succeeded, .failed, .skipped]
        case .failed, .cancelled, .expired: [.queued]
        case .succeeded, .skipped: []
        }
    }
}
