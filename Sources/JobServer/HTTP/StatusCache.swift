import HTTPMessage
import JobKit
import JobSpec
import JobStore
import Synchronization

// DESIGN
// Clients poll the same jobs while they wait and usually get the same bytes. Each job maps to one slot by the random
// half of its id; a slot counts the commits that touched its jobs. On a miss the reader takes the count as a ticket,
// reads the store, and may cache the answer only if the count is unchanged: so an answer from before a commit is never
// found after it. The store reports a commit before it answers the writes in it, so a read sees every acknowledged
// write. For a job that has ended, the commit carries the final record. A store that other servers change reports their
// commits late, so answers about its jobs are not kept.

/// Caches recently read jobs as bytes ready to be sent.
final class StatusCache: Sendable {
    /// The maximum number of cached jobs.
    static let slotsMax = 2_048
    /// The maximum size of a cached answer and of a cached final record. With all slots full that is 8 MiB of each.
    static let bodyBytesMax = 4 << 10

    /// The outcome of a lookup.
    enum Look {
        /// The current job.
        case found(ShownJob)
        /// The final record; the ticket permits caching its bytes.
        case ended(JobRecord, Ticket)
        /// A miss; the ticket permits caching the job after it is read.
        case missed(Ticket)
    }

    /// The permission to cache a job that is read after the ticket was issued.
    struct Ticket: Sendable {
        fileprivate let slot: Int
        fileprivate let commits: UInt64
    }

    private struct Slot {
        var shown: ShownJob?
        var commits: UInt64 = 0
        var latest: JobChange?
    }

    private let keepsAnswers: Bool
    private let slots = Mutex([Slot](repeating: Slot(), count: slotsMax))

    /// - Parameter keepsAnswers: whether every commit is reported before a write in it is answered.
    init(keepsAnswers: Bool = true) { self.keepsAnswers = keepsAnswers }

    func look(for id: JobID) -> Look {
        let slot = Self.slot(of: id)
        return slots.withLock { slots in
            if !keepsAnswers { return .missed(Ticket(slot: slot, commits: slots[slot].commits)) }
            if let shown = slots[slot].shown, shown.job.id == id { return .found(shown) }
            let ticket = Ticket(slot: slot, commits: slots[slot].commits)
            if let ended = slots[slot].latest?.ended, ended.record.id == id {
                return .ended(ended.record, ticket)
            }
            return .missed(ticket)
        }
    }

    /// Caches a job read with the ticket, unless the job has changed since.
    func keep(_ shown: ShownJob, _ ticket: Ticket) {
        guard keepsAnswers, shown.body.count <= Self.bodyBytesMax else { return }
        slots.withLock { slots in
            if slots[ticket.slot].commits == ticket.commits { slots[ticket.slot].shown = shown }
        }
    }

    /// Evicts the jobs that a commit changed, and keeps the changes. From any thread.
    func observe(_ changes: [JobChange]) {
        slots.withLock { slots in
            for place in changes.indices where !changes[place].hasOnlyEntries {
                let id = changes[place].id
                let slot = Self.slot(of: id)
                slots[slot].commits += 1
                if slots[slot].shown?.job.id == id { slots[slot].shown = nil }
                if changes[place].isOutdated { continue }
                slots[slot].latest = changes[place]
                if let ended = changes[place].ended, !Self.isSmall(ended.record) {
                    slots[slot].latest?.ended = nil
                }
            }
        }
    }

    /// The latest committed change of a job; nil when it is no longer known. Without the record of a large job.
    func latestChange(of id: JobID) -> JobChange? {
        let latest = slots.withLock { $0[Self.slot(of: id)].latest }
        return latest?.id == id ? latest : nil
    }

    private static func isSmall(_ job: JobRecord) -> Bool {
        let labels = job.labels.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        return job.detail.sizeEstimate + job.metadata.count + labels <= bodyBytesMax
    }

    private static func slot(of id: JobID) -> Int { Int(id.low % UInt64(slotsMax)) }
}

/// A job with its JSON and the fields that go with it.
final class ShownJob: Sendable {
    let job: JobRecord
    let body: [UInt8]
    let fields: HTTPFields

    init(_ job: JobRecord) {
        self.job = job
        body = JobBody.bytes(job)
        fields = ["ETag": EntityTag.text(revision: job.revision), "Content-Type": "application/json"]
    }
}
