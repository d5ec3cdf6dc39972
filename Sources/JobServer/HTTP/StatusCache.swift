import JobKit
import JobSpec
import JobStore
import Synchronization

// DESIGN
// Clients ask for the same jobs again and again while they wait, and mostly get the same bytes. Each job has one slot,
// chosen by the random half of its id; a slot counts the commits that touched a job of its. Whoever does not find his
// job takes the count along, reads the store, and may leave what he read only if the count is still the same: so no
// answer from before a commit can be found after it. The store tells of a commit before it answers the writes in it,
// so a read sees every write that was answered. Of a job that has ended the commit itself brings what there is to read.

/// The jobs that were read last, as bytes ready to be sent.
final class StatusCache: Sendable {
    /// How many jobs are kept at most. Default 2,048.
    static let slotsMax = 2_048
    /// Larger answers, and jobs that ended with more than this to say, are not kept. Default 4 KiB; with all slots full
    /// that is 8 MiB of the one and of the other.
    static let bodyBytesMax = 4 << 10

    /// What there is about a job.
    enum Look {
        /// As it stands now.
        case found(ShownJob)
        /// The job as it ended; the ticket allows to leave its bytes.
        case ended(JobRecord, Ticket)
        /// Nothing; the ticket allows to leave what the store says.
        case missed(Ticket)
    }

    /// The right to leave a job that is read from now on.
    struct Ticket: Sendable {
        fileprivate let slot: Int
        fileprivate let commits: UInt64
    }

    private struct Slot {
        var shown: ShownJob?
        var commits: UInt64 = 0
        var latest: JobChange?
    }

    private let slots = Mutex([Slot](repeating: Slot(), count: slotsMax))

    /// What is kept about a job.
    func look(for id: JobID) -> Look {
        let slot = Self.slot(of: id)
        return slots.withLock { slots in
            if let shown = slots[slot].shown, shown.job.id == id { return .found(shown) }
            let ticket = Ticket(slot: slot, commits: slots[slot].commits)
            if let ended = slots[slot].latest?.ended, ended.record.id == id {
                return .ended(ended.record, ticket)
            }
            return .missed(ticket)
        }
    }

    /// Keeps a job that was read after the ticket was given, unless it has changed since.
    func keep(_ shown: ShownJob, _ ticket: Ticket) {
        guard shown.body.count <= Self.bodyBytesMax else { return }
        slots.withLock { slots in
            if slots[ticket.slot].commits == ticket.commits { slots[ticket.slot].shown = shown }
        }
    }

    /// Forgets the jobs that a commit changed, and notes what it did to them. From any thread.
    func observe(_ changes: [JobChange]) {
        slots.withLock { slots in
            for change in changes {
                let slot = Self.slot(of: change.id)
                slots[slot].commits += 1
                slots[slot].latest = change
                if change.ended.map({ !Self.isSmall($0.record) }) ?? false { slots[slot].latest?.ended = nil }
                if slots[slot].shown?.job.id == change.id { slots[slot].shown = nil }
            }
        }
    }

    /// What the latest commit that changed a job did to it; nil when that is not known any more. A large job is not
    /// kept with it.
    func latestChange(of id: JobID) -> JobChange? {
        let latest = slots.withLock { $0[Self.slot(of: id)].latest }
        return latest?.id == id ? latest : nil
    }

    private static func isSmall(_ job: JobRecord) -> Bool {
        let labels = job.labels.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
        return job.detail.count + job.metadata.count + labels <= bodyBytesMax
    }

    private static func slot(of id: JobID) -> Int { Int(id.low % UInt64(slotsMax)) }
}

/// A job and the bytes that show it.
final class ShownJob: Sendable {
    /// The job.
    let job: JobRecord
    /// It as JSON.
    let body: [UInt8]

    /// A job as it is shown.
    init(_ job: JobRecord) {
        self.job = job
        body = JobBody.bytes(job)
    }
}
