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
// write. It announces a commit before a reader can see it, and from then until the report nothing about its jobs is
// cached: a client that has seen an effect of the commit elsewhere, as in a list or bulk action, finds the job changed.
// For a job that has ended, the commit carries the final record. A store that other servers change reports theirs late,
// so answers about its jobs are not kept.

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
        /// Whether a commit of one of its jobs is under way.
        var isExpected = false
    }

    private struct Table {
        var slots = [Slot](repeating: Slot(), count: slotsMax)
        /// The slots of the commit that is under way, or that failed.
        var expected: [Int] = []

        /// Forgets the answer about a job.
        /// - Returns: the slot of the job.
        mutating func evict(_ id: JobID) -> Int {
            let slot = StatusCache.slot(of: id)
            if slots[slot].shown?.job.id == id { slots[slot].shown = nil }
            return slot
        }

        /// Permits answers about the jobs again. A commit that failed may nevertheless be seen later.
        mutating func settle() {
            for slot in expected {
                slots[slot].isExpected = false
                slots[slot].commits += 1
            }
            expected.removeAll(keepingCapacity: true)
        }
    }

    private let keepsAnswers: Bool
    private let table = Mutex(Table())

    /// - Parameter keepsAnswers: whether every commit is reported before a write in it is answered.
    init(keepsAnswers: Bool = true) { self.keepsAnswers = keepsAnswers }

    func look(for id: JobID) -> Look {
        let slot = Self.slot(of: id)
        return table.withLock { table in
            if !keepsAnswers { return .missed(Ticket(slot: slot, commits: table.slots[slot].commits)) }
            if let shown = table.slots[slot].shown, shown.job.id == id { return .found(shown) }
            let ticket = Ticket(slot: slot, commits: table.slots[slot].commits)
            if !table.slots[slot].isExpected, let ended = table.slots[slot].latest?.ended,
                ended.record.id == id
            {
                return .ended(ended.record, ticket)
            }
            return .missed(ticket)
        }
    }

    /// Caches a job read with the ticket, unless the job has changed since.
    func keep(_ shown: ShownJob, _ ticket: Ticket) {
        guard keepsAnswers, shown.body.count <= Self.bodyBytesMax else { return }
        table.withLock { table in
            guard table.slots[ticket.slot].commits == ticket.commits, !table.slots[ticket.slot].isExpected
            else { return }
            table.slots[ticket.slot].shown = shown
        }
    }

    /// Evicts the jobs that a commit will change, and caches nothing about them until `observe`, or until the next
    /// commit is expected. From the thread that commits.
    func expect(_ changes: [JobChange]) {
        table.withLock { table in
            table.settle()
            for place in changes.indices where !changes[place].hasOnlyEntries {
                let slot = table.evict(changes[place].id)
                table.slots[slot].isExpected = true
                table.expected.append(slot)
            }
        }
    }

    /// Evicts the jobs that a commit changed, and keeps the changes. From any thread.
    func observe(_ changes: [JobChange]) {
        table.withLock { table in
            table.settle()
            for place in changes.indices where !changes[place].hasOnlyEntries {
                let slot = table.evict(changes[place].id)
                table.slots[slot].commits += 1
                if changes[place].isOutdated { continue }
                table.slots[slot].latest = changes[place]
                if let ended = changes[place].ended, !Self.isSmall(ended.record) {
                    table.slots[slot].latest?.ended = nil
                }
            }
        }
    }

    /// The latest reported change of a job; nil when it is no longer known. Without the record of a large job, and of
    /// one that a commit under way may change.
    func latestChange(of id: JobID) -> JobChange? {
        var (latest, isExpected) = table.withLock { table in
            (table.slots[Self.slot(of: id)].latest, table.slots[Self.slot(of: id)].isExpected)
        }
        guard latest?.id == id else { return nil }
        if isExpected { latest?.ended = nil }
        return latest
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
