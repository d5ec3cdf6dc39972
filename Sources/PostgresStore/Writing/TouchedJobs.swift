import JobJournal
import JobKit
import JobStore

/// The jobs that a transaction has loaded, made and erased. Changes are gathered, and written by `flush` in one
/// statement for each table.
final class TouchedJobs {
    /// A job that the transaction has loaded or made.
    private final class Entry {
        var row: JobRow
        /// Whether the row differs from the stored one.
        var isChanged = false
        /// Whether the row is a copy, which another server may have made out of date.
        var isCopy = false
        /// Whether the ticket is not locked yet.
        var isUnlocked = false
        /// The submission of a new job.
        var new: NewJob?
        /// Entries that were added to the journal.
        var journal: [JournalEntry] = []
        var result: OperationResult?

        init(_ row: JobRow, new: NewJob? = nil) {
            self.row = row
            self.new = new
            isChanged = new != nil
        }
    }

    private let tables: StoreTables
    private var entries: [JobID: Entry] = [:]
    /// Ids that no job has.
    private var missing: Set<JobID> = []
    /// The new jobs, in the order of their numbers.
    private var made: [Entry] = []
    private var erased: [StoredJob] = []
    /// Copies of jobs that this server runs, as they were stored last, so that the updates of their runs read nothing.
    /// A write finds out when another server changed one.
    private var held: [JobID: JobRow] = [:]
    /// The jobs that the transaction claimed.
    private var claimed: Set<JobID> = []
    /// The jobs that the group has to lock first when it runs again, since another server held them.
    private var awaited: Set<JobID> = []
    /// The number of copies of jobs that other servers took over is bounded by this.
    private static let heldMax = 20_000
    /// The number of journal entries that one statement reads. PostgreSQL ends a transaction that is idle for long, as
    /// it is while they are decoded.
    private static let entriesAtOnce: Int64 = 20_000

    init(_ tables: StoreTables) { self.tables = tables }

    /// Forgets everything, for the next transaction.
    func rollback() {
        entries = [:]
        missing = []
        made = []
        erased = []
        claimed = []
    }

    /// Keeps copies of the jobs that this server runs, after the commit.
    func committed() {
        if held.count > Self.heldMax { held = [:] }
        for (id, entry) in entries where claimed.contains(id) || held[id] != nil {
            entry.row.spec = nil
            held[id] = entry.row.job.owner == nil ? nil : entry.row
        }
        for job in erased { held[job.record.id] = nil }
        awaited = []
    }

    /// Drops the copies that are out of date: PostgreSQL logs the failure of each write that finds out by itself.
    /// - Parameter ids: the jobs that other servers changed; nil for all.
    func forgetCopies(of ids: Set<JobID>? = nil) {
        guard let ids else { return held = [:] }
        if held.isEmpty { return }
        for id in ids { held[id] = nil }
    }

    /// The claims of the transaction.
    var claims: [ClaimKey] {
        claimed.compactMap { id in entries[id].map { ClaimKey(id: id, fence: $0.row.job.record.fence) } }
    }

    /// Notes that this server runs a job, whose copy it keeps.
    func hold(_ id: JobID) { claimed.insert(id) }

    // MARK: Loading

    /// Takes the copies of jobs whose runs write, unless there are none, or ends of jobs concern others.
    /// - Returns: the jobs that must be loaded.
    func takeCopies(of ids: [JobID], besides others: [JobID]) -> [JobID] {
        let others = Set(others)
        var missing: [JobID] = []
        for id in ids {
            if let row = held[id], row.job.flags.isDisjoint(with: [.unique, .hold]), !others.contains(id) {
                let entry = Entry(row)
                (entry.isCopy, entry.isUnlocked) = (true, true)
                entries[id] = entry
            } else {
                missing.append(id)
            }
        }
        return missing
    }

    /// Loads and locks the first jobs of the group, together with the copies, and waits for other servers.
    func loadFirst(_ ids: [JobID]) throws(PostgresFailure) { try load(awaited.union(ids), waits: true) }

    /// Loads and locks jobs that are not loaded yet.
    /// - Throws: `.heldElsewhere` when another server holds one; the group runs again then, and locks it first.
    func load(_ ids: [JobID]) throws(PostgresFailure) { try load(Set(ids), waits: false) }

    private func load(_ ids: Set<JobID>, waits: Bool) throws(PostgresFailure) {
        let wanted = ids.filter { entries[$0] == nil && !missing.contains($0) }.sorted()
        guard !wanted.isEmpty else { return }
        try lockCopies(with: waits ? wanted : [])
        let found = try tables.jobs.locked(wanted, waits: waits)
        if !found.held.isEmpty {
            awaited.formUnion(found.held)
            throw .heldElsewhere
        }
        for row in found.rows { entries[row.job.record.id] = Entry(row) }
        for id in wanted where entries[id] == nil { missing.insert(id) }
    }

    /// Locks the tickets of all copies, later, before the group locks anything that comes after tickets.
    /// - Parameter ids: further jobs whose tickets are locked with them, in one order.
    func lockCopies(with ids: [JobID] = []) throws(PostgresFailure) {
        let copies = entries.values.filter(\.isUnlocked)
        if copies.isEmpty { return }
        try tables.jobs.lock(copies: copies.map(\.row), with: ids)
        for entry in copies { entry.isUnlocked = false }
    }

    /// Adds jobs that the transaction has found and locked, as they are in it.
    func add(found rows: [JobRow]) -> [StoredJob] {
        rows.map { row in
            let id = row.job.record.id
            if let entry = entries[id] { return entry.row.job }
            missing.remove(id)
            entries[id] = Entry(row)
            return row.job
        }
    }

    func job(_ id: JobID) throws(PostgresFailure) -> StoredJob? {
        if entries[id] == nil { try load([id]) }
        return entries[id]?.row.job
    }

    /// Whether a job with this id was loaded or made.
    func has(_ id: JobID) -> Bool { entries[id] != nil }

    /// The submission of a job that the transaction made; nil for others.
    func submission(of id: JobID) -> NewJob? { entries[id]?.new }

    /// The spec of a job; empty when there is none.
    func spec(of id: JobID) throws(PostgresFailure) -> [UInt8] { try specs(of: [id])[id] ?? [] }

    /// The specs of jobs.
    func specs(of ids: [JobID]) throws(PostgresFailure) -> [JobID: [UInt8]] {
        var found: [JobID: [UInt8]] = [:]
        for id in ids { found[id] = entries[id]?.new?.spec ?? entries[id]?.row.spec }
        let missing = ids.filter { found[$0] == nil }
        return missing.isEmpty ? found : found.merging(try tables.jobs.specs(of: missing)) { $1 }
    }

    /// The size of the spec of a job that was loaded or made, and whether it has a journal.
    func claimSize(of id: JobID) -> (spec: Int, hasJournal: Bool) {
        entries[id].map { ($0.row.specBytes, $0.row.journalEnd > 0) } ?? (0, false)
    }

    /// The number of the last entry of a job's journal.
    func journalEnd(of id: JobID) -> Int64 { entries[id]?.row.journalEnd ?? 0 }

    /// The entries that the runs of jobs read.
    func journals(of jobs: [StoredJob]) throws(PostgresFailure) -> RunJournals {
        func added(_ job: StoredJob) -> [JournalEntry] { entries[job.record.id]?.journal ?? [] }
        var found = RunJournals()
        var part: [StoredJob] = []
        var count: Int64 = 0
        for job in jobs where journalEnd(of: job.record.id) > Int64(added(job).count) {
            if !part.isEmpty, count + journalEnd(of: job.record.id) > Self.entriesAtOnce {
                found.add(try tables.journals.entries(of: part))
                (part, count) = ([], 0)
            }
            part.append(job)
            count += journalEnd(of: job.record.id)
        }
        found.add(try tables.journals.entries(of: part))
        for job in jobs { found.entries[job.record.id, default: []] += added(job) }
        return found
    }

    // MARK: Changing

    /// Adds a new job.
    /// - Parameter isLimited: see `JobRow`.
    func add(_ job: StoredJob, _ new: NewJob, isLimited: Bool) {
        let id = job.record.id
        let entry = Entry(JobRow(job: job, journalEnd: 0, place: nil), new: new)
        entry.row.isLimited = isLimited
        entry.row.specBytes = new.spec.count
        entries[id] = entry
        if !missing.isEmpty { missing.remove(id) }
        made.append(entry)
    }

    /// Replaces a job that was loaded or made.
    /// - Parameter isLimited: see `JobRow`.
    func put(_ job: StoredJob, isLimited: Bool) {
        guard let entry = entries[job.record.id] else { return }
        entry.row.job = job
        entry.row.isLimited = isLimited
        entry.isChanged = true
    }

    /// Appends entries to a job's journal.
    func append(_ journal: [JournalEntry], to id: JobID) {
        guard !journal.isEmpty, let entry = entries[id] else { return }
        entry.journal += journal
        entry.row.journalEnd += Int64(journal.count)
        entry.isChanged = true
    }

    /// Sets the result of a job that ends, or removes that of one that begins again.
    func put(_ result: OperationResult?, of id: JobID) { entries[id]?.result = result }

    /// Removes a job with all its data. After `flush`.
    func remove(_ job: StoredJob) {
        entries[job.record.id] = nil
        missing.insert(job.record.id)
        erased.append(job)
    }

    // MARK: Writing

    func flush() throws(PostgresFailure) {
        try insertNew()
        try writeChanged()
        try eraseOld()
    }

    private func insertNew() throws(PostgresFailure) {
        guard !made.isEmpty else { return }
        let fresh = made.compactMap { entry in entry.new.map { (stored: entry.row.job, new: $0) } }
        made = []
        try tables.jobs.insert(fresh)
    }

    private func writeChanged() throws(PostgresFailure) {
        let changed = entries.compactMap { id, entry in entry.isChanged ? (id: id, entry: entry) : nil }
            .sorted { $0.id < $1.id }.map(\.entry)
        guard !changed.isEmpty else { return }
        var moves = Moves()
        for entry in changed {
            let id = entry.row.job.record.id
            if entry.row.place == .ended, let row = try tables.journals.ended(of: id) {
                moves.journal.append(row)
            }
            moves.add(entry)
        }
        // A single statement locks the tickets that it changes in their order.
        let unlocked = entries.values.count { $0.isUnlocked }
        let isOne = moves.over.isEmpty || moves.changed.isEmpty
        if !isOne || unlocked > changed.count(where: \.isUnlocked) { try lockCopies() }
        try tables.jobs.delete(moves.begunAgain, from: "ended")
        let checks = changed.contains(where: \.isUnlocked)
        try tables.jobs.delete(tickets: moves.over, checks: checks)
        try tables.jobs.update(tickets: moves.changed, checks: checks)
        // What follows would meet the rows of another server that changed one of them.
        if changed.contains(where: \.isCopy) { try tables.jobs.awaitChecks() }
        try tables.jobs.insert(tickets: moves.tickets)
        try tables.jobs.insert(ended: moves.ends)
        try tables.journals.insert(moves.journal)
        for entry in changed {
            entry.isChanged = false
            (entry.isCopy, entry.isUnlocked) = (false, false)
            entry.journal = []
            entry.row.place = entry.row.job.record.state.isFinal ? .ended : .ticket
            entry.row.noteStored()
        }
    }

    private func eraseOld() throws(PostgresFailure) {
        guard !erased.isEmpty else { return }
        let all = erased.map { $0.record.id }
        for table in ["job", "ended", "journal", "callback"] { try tables.jobs.delete(all, from: table) }
        try tables.jobs.delete(labelsOf: erased)
        func ids(with flag: StoredJob.Flags) -> [JobID] {
            erased.filter { $0.flags.contains(flag) }.map { $0.record.id }
        }
        try tables.approvals.remove(of: ids(with: .approval))
        try tables.jobs.delete(ids(with: .artifact), from: "artifact")
        try tables.jobs.delete(ids(with: .unique), from: "waiter")
        try tables.jobs.delete(ids(with: .upload), from: "upload_use")
        try tables.jobs.delete(ids(with: .callbacks), from: "callback_standing")
        erased = []
    }

    /// The rows that changes of jobs write.
    private struct Moves {
        var begunAgain: [JobID] = []
        var over: [JobRow] = []
        var changed: [JobRow] = []
        var tickets: [JobRow] = []
        var ends: [EndRow] = []
        var journal: [JournalTable.Row] = []
        /// A journal up to this length is stored with the end of its job when it comes with it.
        private static let endBytesMax = 4_096

        mutating func add(_ entry: Entry) {
            let id = entry.row.job.record.id
            var lines = entry.journal.isEmpty ? nil : JournalEntry.encoded(entry.journal)
            switch (entry.row.place, entry.row.job.record.state.isFinal) {
            case (.ticket, false): changed.append(entry.row)
            case (.ticket, true): over.append(entry.row)
            case (.ended, _): begunAgain.append(id)
            case (nil, _): break
            }
            if entry.row.job.record.state.isFinal {
                var end = EndRow(
                    job: entry.row.job, journalEnd: entry.row.journalEnd, journal: nil, result: entry.result)
                if let all = lines, entry.row.place != .ended, all.count <= Self.endBytesMax,
                    entry.row.journalEnd == Int64(entry.journal.count)
                {
                    end.journal = all
                    lines = nil
                }
                ends.append(end)
            } else if entry.row.place != .ticket {
                tickets.append(entry.row)
            }
            if let lines {
                journal.append(JournalTable.Row(id: id, last: entry.row.journalEnd, bytes: lines))
            }
        }
    }
}
