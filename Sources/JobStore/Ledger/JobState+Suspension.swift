package import JobKit

extension JobState {
    /// Whether a job in this state is suspended and can be woken.
    package var isSuspended: Bool { self == .waiting || self == .retrying || self == .pending }

    /// Whether `JobRecord.dueAt` is meaningful in this state.
    package var hasDueTime: Bool {
        switch self {
        case .scheduled, .waiting, .retrying, .pending, .held: true
        default: false
        }
    }
}
