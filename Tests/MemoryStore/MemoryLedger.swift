import JobJournal
import JobKit
import JobStore

/// All that the memory engine knows, as one value.
struct MemoryLedger: Sendable {
    /// A job with everything about it.
    struct Entry: Sendable {
        var job: StoredJob
        var spec: [UInt8]
        var journal: [JournalEntry] = []
        var summary: JournalSummary?
        var result: OperationResult?
        var uniqueKey: String?
    }

    /// What a key stands for.
    struct Key: Sendable {
        var job: JobID
        var fingerprint: [UInt8]
        var expiresAt: Timestamp
    }

    var limits: StoreLimits
    var isClosed = false
    var entries: [JobID: Entry] = [:]
    /// All ids, oldest first.
    var ids: [JobID] = []
    var keys: [String: Key] = [:]
    /// The jobs with each unique key that are not over; the first has it.
    var lines: [String: [JobID]] = [:]
    /// The ends that somebody is to be told of, by the numbers of their jobs.
    var ends: [Int64: JobEnd] = [:]
    var counts: [JobState: Int] = [:]
    /// The jobs that are woken under a key.
    var wakes: [String: Set<JobID>] = [:]
    /// Exclusive keys in the hands of operations.
    var holds: [String: ExclusiveHold] = [:]
    var approvals: [ApprovalID: ApprovalRecord] = [:]
    var grants: [String: GrantRecord] = [:]
    /// Secrets and connections, by name.
    var settings: [SettingKind: [String: SettingRecord]] = [:]
    var settingsVersion: Int64 = 0
    /// How good answers were marked, by request, and those requests in the order in which they were kept.
    var validators: [String: AnswerValidator] = [:]
    var validatorOrder: [String] = []
    /// All versions of templates, by name.
    var templates: [String: [TemplateRecord]] = [:]
    /// What was changed and not yet told to the observer.
    var changes: [JobChange] = []
    /// Who takes new jobs as they are stored, and those that were claimed in that way and are not handed over yet.
    var arrivals: JobArrivals?
    var leases = OwnerLeases()
    var arrived: [Claim] = []
    /// Whether somebody is telling the observer; one at a time keeps the order.
    var isTelling = false
    private var lastNumber: Int64 = 0
    /// Claimable at once, and claimable from a time on; one order for each priority.
    private(set) var ready: [Int: ClaimOrder] = [:]
    private(set) var due: [Int: ClaimOrder] = [:]

    init(limits: StoreLimits) { self.limits = limits }

    /// The number of the next job.
    mutating func nextNumber() -> Int64 {
        lastNumber += 1
        return lastNumber
    }

    /// The changes to tell the observer now; nil when there are none or somebody else is telling.
    mutating func takeChanges() -> [JobChange]? {
        if isTelling || changes.isEmpty { return nil }
        isTelling = true
        defer { changes = [] }
        return changes
    }

    /// How many jobs are not final.
    var unfinished: Int { counts.reduce(0) { $1.key.isFinal ? $0 : $0 + $1.value } }

    /// Stores a new job.
    mutating func add(_ entry: Entry) {
        let id = entry.job.record.id
        entries[id] = entry
        ids.insert(id, at: position(of: id))
        counts[entry.job.record.state, default: 0] += 1
        enter(entry.job)
        note(entry.job)
    }

    /// Writes a job back after a move.
    mutating func put(_ job: StoredJob, journal: [JournalEntry] = []) {
        let id = job.record.id
        guard var entry = entries.removeValue(forKey: id) else { return }
        if job.record.state.isFinal { removeRows(of: job) }
        let before = entry.job
        leave(before)
        entry.job = job
        entry.journal += journal
        if job.record.state.isFinal { entry.summary = nil }
        entries[id] = entry
        enter(job)
        counts[before.record.state, default: 0] -= 1
        counts[job.record.state, default: 0] += 1
        if before.record.revision != job.record.revision { note(job) }
        if job.record.state.isFinal && job.flags.contains(.unique) { leaveLine(job) }
    }

    /// Removes a job with everything about it.
    mutating func remove(_ id: JobID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        leave(entry.job)
        if entry.job.flags.contains(.approval) { approvals = approvals.filter { $0.value.job != id } }
        ends[entry.job.number] = nil
        ids.remove(at: position(of: id))
        counts[entry.job.record.state, default: 0] -= 1
        changes.append(JobChange(id: id, state: nil, revision: entry.job.record.revision))
    }

    /// The first place in `ids` that is not before `id`.
    func position(of id: JobID) -> Int {
        if let last = ids.last, last < id { return ids.count }
        var low = 0
        var high = ids.count
        while low < high {
            let middle = low + (high - low) / 2
            if ids[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }

    private mutating func note(_ job: StoredJob) { changes.append(job.change) }

    private mutating func enter(_ job: StoredJob) {
        guard let time = job.claimableAt else { return }
        let place = ClaimOrder.Place(time: time, number: job.number, id: job.record.id)
        if job.readyAt != nil {
            ready[job.record.priority, default: ClaimOrder()].insert(place)
        } else {
            due[job.record.priority, default: ClaimOrder()].insert(place)
        }
    }

    private mutating func leave(_ job: StoredJob) {
        guard let time = job.claimableAt else { return }
        let place = ClaimOrder.Place(time: time, number: job.number, id: job.record.id)
        if job.readyAt != nil {
            ready[job.record.priority]?.remove(place)
        } else {
            due[job.record.priority]?.remove(place)
        }
    }
}
