import JobJournal
import JobKit
import JobStore
import StrictJSON

/// The whole state of the memory engine.
struct MemoryLedger: Sendable {
    /// A job with all its data.
    struct Entry: Sendable {
        var job: StoredJob
        var spec: [UInt8]
        var journal: [JournalEntry] = []
        /// The numbers of the entries that were removed.
        var removed: Set<Int64> = []
        var summary: JournalSummary?
        var result: OperationResult?
        var uniqueKey: String?
    }

    /// The data of an idempotency key.
    struct Key: Sendable {
        var job: JobID
        var fingerprint: [UInt8]
        var expiresAt: Timestamp
    }

    var limits: StoreLimits
    var isClosed = false
    /// Whether servers share the store, which then keeps the lines for exclusive keys.
    var isShared = false
    var entries: [JobID: Entry] = [:]
    /// All ids, oldest first.
    var ids: [JobID] = []
    var keys: [ByteKey: Key] = [:]
    /// The unfinished jobs with each unique key; the first holds it.
    var lines: [ByteKey: [JobID]] = [:]
    /// The ends whose callbacks are not stored yet, by the numbers of their jobs.
    var ends: [Int64: JobEnd] = [:]
    var counts: [JobState: Int] = [:]
    /// The jobs that are woken under a key.
    var wakes: [String: Set<JobID>] = [:]
    /// Exclusive keys and their holders.
    var holds: [ByteKey: ExclusiveHold] = [:]
    /// The operations in line for exclusive keys of a shared store, by their numbers.
    var keyLine: [KeyPlace] = []
    var approvals: [ApprovalID: ApprovalRecord] = [:]
    var grants: [String: GrantRecord] = [:]
    /// Decides which jobs of queues with a configuration may begin.
    var gate = QueueGate()
    /// The jobs in the lines of such queues.
    var queueLines: [QueueGate.Line: ClaimOrder] = [:]
    /// Settings of each kind, by name.
    var settings: [SettingKind: [String: SettingRecord]] = [:]
    var settingsVersion: Int64 = 0
    /// The validators of successful answers, by request, and these requests in the order in which they were stored.
    var validators: [String: AnswerValidator] = [:]
    var validatorOrder: [String] = []
    /// Pauses and open breakers of origins.
    var closings: [String: OriginClosing] = [:]
    /// All versions of templates, by name.
    var templates: [String: [TemplateRecord]] = [:]
    var schedules: [String: Schedule] = [:]
    var bulks: [BulkID: Bulk] = [:]
    var uploads: [UploadID: UploadRecord] = [:]
    var deliveries: [DeliveryID: DeliveryRecord] = [:]
    /// The deliveries by key.
    var deliveryKeys: [[UInt8]: DeliveryID] = [:]
    /// The requests to callback URLs of jobs, by the name of the row.
    var standings: [JobID: [ByteKey: [UInt8]]] = [:]
    /// The jobs that use each upload.
    var uploadUses: [UploadID: Set<JobID>] = [:]
    /// The changes by people, the oldest first.
    var audits: [AuditRecord] = []
    /// The ends that are not counted in the statistics, and the bins of these.
    var endings: [EndFacts] = []
    var stats: [StatsKey: StoredBin] = [:]
    /// The changes that were not reported to the observer yet.
    var changes: [JobChange] = []
    /// The runner that takes new jobs, and the claimed ones that are not handed over yet.
    var arrivals: JobArrivals?
    var leases = OwnerLeases()
    /// The servers that have announced themselves.
    var servers: [OwnerID: ServerRecord] = [:]
    /// The news for other servers that were not taken yet.
    var requests: [RunRequest] = []
    var messages: [ServerMessage] = []
    var arrived: [Claim] = []
    /// Whether the observer is being called; one call at a time keeps the order.
    var isTelling = false
    private var lastNumber: Int64 = 0
    /// Claimable at once, and claimable from a time on.
    private(set) var ready: [Rank: ClaimOrder] = [:]
    private(set) var due: [Rank: ClaimOrder] = [:]
    /// Whose turn it is among the jobs in no line.
    var turns = TenantTurns()

    /// Jobs in no line that go by their age.
    struct Rank: Sendable, Hashable {
        var tenant: Tenant?
        var priority: Int

        init(_ job: JobRecord) { (tenant, priority) = (job.tenant, job.priority) }
    }

    init(limits: StoreLimits) { self.limits = limits }

    /// The number of the next job, or of an operation in line. Servers that share the store number by their clocks.
    mutating func nextNumber(at time: Timestamp) -> Int64 {
        lastNumber += 1
        return isShared ? time.milliseconds << 20 | lastNumber & 0xF_FFFF : lastNumber
    }

    /// The changes to report now; nil when there are none or another call is in progress.
    mutating func takeChanges() -> [JobChange]? {
        if isTelling || changes.isEmpty { return nil }
        isTelling = true
        defer { changes = [] }
        return changes
    }

    /// The number of unfinished jobs.
    var unfinished: Int { counts.reduce(0) { $1.key.isFinal ? $0 : $0 + $1.value } }

    /// Stores a new job.
    mutating func add(_ entry: Entry) {
        let id = entry.job.record.id
        entries[id] = entry
        ids.insert(id, at: position(of: id))
        counts[entry.job.record.state, default: 0] += 1
        enter(entry.job)
        keepLine(from: nil, to: entry.job)
        note(entry.job)
    }

    /// Writes a job back after a transition.
    mutating func put(_ job: StoredJob) {
        let id = job.record.id
        guard var entry = entries.removeValue(forKey: id) else { return }
        if job.record.state.isFinal { removeRows(of: job) }
        let before = entry.job
        leave(before)
        var job = job
        job.isInLine = job.isForLine && gate.governs(job.record.queue)
        entry.job = job
        if job.record.state.isFinal { entry.summary = nil }
        entries[id] = entry
        enter(job)
        keepLine(from: before, to: job)
        counts[before.record.state, default: 0] -= 1
        counts[job.record.state, default: 0] += 1
        if !before.record.state.isFinal, let end = EndFacts(job.record) { endings.append(end) }
        if before.record.revision != job.record.revision { note(job) }
        if job.record.state.isFinal && job.flags.contains(.unique) { within { $0.leaveLine(job) } }
    }

    /// Removes a job with all its data.
    mutating func remove(_ id: JobID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        leave(entry.job)
        if entry.job.flags.contains(.approval) { approvals = approvals.filter { $0.value.job != id } }
        ends[entry.job.number] = nil
        if entry.job.flags.contains(.upload) { releaseUploads(by: id) }
        standings[id] = nil
        ids.remove(at: position(of: id))
        counts[entry.job.record.state, default: 0] -= 1
        changes.append(.erasure(of: entry.job.record))
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
        guard let time = job.claimableAt, !job.isInLine else { return }
        let place = ClaimOrder.Place(time: time, number: job.number, id: job.record.id)
        if job.readyAt != nil {
            ready[Rank(job.record), default: ClaimOrder()].insert(place)
        } else {
            due[Rank(job.record), default: ClaimOrder()].insert(place)
        }
    }

    private mutating func leave(_ job: StoredJob) {
        guard let time = job.claimableAt, !job.isInLine else { return }
        let place = ClaimOrder.Place(time: time, number: job.number, id: job.record.id)
        if job.readyAt != nil {
            ready[Rank(job.record)]?.remove(place)
        } else {
            due[Rank(job.record)]?.remove(place)
        }
    }
}
