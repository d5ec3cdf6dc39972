import JobKit
import JobSpec
import JobStore
import StrictJSON

/// The changes that a stream reports: those of jobs that a list would show, and erasures whatever the state.
struct ChangeFilter: Sendable, Hashable {
    /// The filters of the list, without times and order.
    var query = JobListQuery()

    func matches(_ change: JobChange) -> Bool {
        if let tenant = query.tenant, !tenant.owns(change.queue) { return false }
        if let state = change.state {
            if !query.states.isEmpty, !query.states.contains(state) { return false }
            if let kind = query.waitKind, !change.waitKinds.contains(kind) { return false }
            if !query.origins.isEmpty, change.awaitedOrigins.allSatisfy({ !query.origins.contains($0) }) {
                return false
            }
        }
        return Self.equal(query.type, change.type) && Self.equal(query.queue, change.queue)
            && Self.equal(query.name, change.name) && Self.equal(query.queueKey, change.key)
            && Self.equal(query.errorCode, change.endCode) && query.call.shows(change.failedCall)
            && query.namePrefix.map { change.name.utf8.starts(with: $0.utf8) } ?? true
            && query.ids?.contains(change.id) ?? true && query.labels.allSatisfy(change.labels.contains)
    }

    private static func equal(_ wanted: String?, _ text: String?) -> Bool {
        wanted.map { wanted in text.map { wanted.hasSameBytes(as: $0) } ?? false } ?? true
    }
}
