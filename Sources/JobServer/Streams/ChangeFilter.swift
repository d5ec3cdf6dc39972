import JobKit
import JobSpec
import JobStore

/// The changes that a stream reports. Empty parts match everything.
struct ChangeFilter: Sendable, Hashable {
    /// Matches changes to any of these states, and erasures.
    var states: Set<JobState> = []
    var type: String?
    var queue: String?
    var name: String?
    /// Matches jobs with all of these labels.
    var labels: [JobSpec.Label] = []

    func matches(_ change: JobChange) -> Bool {
        if let state = change.state, !states.isEmpty, !states.contains(state) { return false }
        return type.map { $0 == change.type } ?? true && queue.map { $0 == change.queue } ?? true
            && name.map { $0 == change.name } ?? true && labels.allSatisfy(change.labels.contains)
    }
}
