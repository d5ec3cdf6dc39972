import JobJournal
import JobKit
import JobStore
import StrictJSON

extension MemoryLedger {
    /// The outcome of a request whose key was used before; nil when its key is free, or it has none.
    func outcome(known new: NewJob) -> SubmitOutcome? {
        guard let claim = new.idempotency, let known = keys[ByteKey(claim.key)],
            known.expiresAt > new.record.createdAt
        else { return nil }
        if known.fingerprint != claim.fingerprint { return .keyReused(known.job) }
        return entries[known.job].map { .replayed($0.job.record) } ?? .replayedGone(known.job)
    }

    /// Stores a job that was not refused.
    mutating func insert(_ new: NewJob) throws(JobStoreError) -> SubmitOutcome {
        guard entries[new.record.id] == nil else { throw .duplicateID(new.record.id) }
        var job = StoredJob(new, number: nextNumber(at: new.record.createdAt))
        if let unique = new.unique {
            job.flags.insert(.unique)
            within { transaction in
                let line = transaction.uniques
                if let holder = line.holder(of: unique.key) {
                    job.awaitTurn(for: unique.key, behind: holder)
                }
                line.put(unique.key, of: job, isOver: false)
            }
        }
        let created = job.record
        let (line, isGoverned) = (job.line, gate.governs(job.record.queue))
        if let arrivals, leases.holds(arrivals.owner),
            job.claim(
                for: arrivals,
                isAlone: {
                    candidates(of: created.tenant, limit: 1, now: $0).isEmpty
                        && gate.next(now: $0, passing: { $0 != created.tenant }) == nil
                        && gate.admits(line, now: $0)
                })
        {
            if isGoverned, let now = job.record.startedAt { gate.takeRate(line, now: now, ready: now) }
            var claim = Claim(record: job.record, spec: new.spec)
            claim.reading = new.reading
            arrived.append(claim)
        }
        job.isInLine = isGoverned && job.isForLine
        if let claim = new.idempotency { keep(claim, for: new.record.id) }
        for upload in new.uploads { uploadUses[upload, default: []].insert(created.id) }
        add(Entry(job: job, spec: new.spec, uniqueKey: new.unique?.key))
        guard let unique = new.unique, unique.onConflict == .replace, job.flags.contains(.turn) else {
            return .created(created)
        }
        return within { $0.replace(by: created.id, unique) } ?? .created(created)
    }

    mutating func keep(_ claim: IdempotencyClaim, for id: JobID) {
        keys[ByteKey(claim.key)] = Key(job: id, fingerprint: claim.fingerprint, expiresAt: claim.expiresAt)
    }

    mutating func claim(_ request: ClaimRequest) throws(JobStoreError) -> [Claim] {
        guard leases.holds(request.owner) else { throw .leaseLost(request.owner) }
        if request.takesSuspects { return try claimSuspects(request) }
        lineUp(at: request.now)
        var shares = request.shares
        let due = candidates(limit: request.limit, now: request.now, shares)
        let claims = claimInTurns(request, due + ahead(request, behind: due.count), &shares)
        request.slots?.notePassedOver(after: shares)
        return claims
    }

    mutating func claim(_ id: JobID, _ request: ClaimRequest) -> Claim? {
        guard var entry = entries[id] else { return nil }
        let before = entry.job.record
        entry.job.claim(for: request.owner, now: request.now)
        put(entry.job)
        var claim = Claim(
            record: entry.job.record, spec: entry.spec, journal: entry.journalForRun,
            journalEnd: Int64(entry.journal.count))
        claim.bytes = entry.bytes
        claim.posts = entry.job.lastPost
        claim.holds = holds(of: id)
        claim.aheadOf = request.dateAhead(of: before)
        claim.hasEndedProcess = entry.job.hasEndedProcess
        return claim
    }

    private mutating func claimSuspects(_ request: ClaimRequest) throws(JobStoreError) -> [Claim] {
        let suspects = entries.values.map(\.job).filter(\.isSuspect).sorted { $0.number < $1.number }
        let most = min(StoredJob.suspectsAtOnce(of: suspects.count), request.limit)
        let admissible = gate.admissible(suspects, limit: most, now: request.now)
        if admissible.isEmpty, !suspects.isEmpty { throw .suspectsHeld }
        let chosen = request.budget.first(of: admissible) { entries[$0.record.id]?.bytes ?? 0 }
        return chosen.compactMap { job in
            guard let entry = entries[job.record.id] else { return nil }
            var job = job
            gate.takeRate(job.line, now: request.now, ready: request.now)
            job.claim(for: request.owner, now: request.now)
            if chosen.count == 1 { job.flags.insert(.alone) }
            put(job)
            var claim = Claim(
                record: job.record, spec: entry.spec, journal: entry.journalForRun,
                journalEnd: Int64(entry.journal.count))
            claim.bytes = entry.bytes
            claim.posts = job.lastPost
            claim.holds = holds(of: job.record.id)
            return claim
        }
    }

    /// The first jobs in no line, as tenants take turns.
    func candidates(limit: Int, now: Timestamp, _ shares: TenantShares = .unlimited) -> [JobID] {
        let names = Set(ready.keys).union(due.keys).compactMap { $0.tenant?.prefix }.sorted()
        let tenants = turns.upcoming(.max - 1, passing: shares.passing) { name in names.first { $0 > name } }
        let lists = tenants.map { name in
            let tenant = Tenant(ofStored: name)
            return candidates(of: tenant, limit: min(limit, shares.room(of: tenant)), now: now)
        }
        return TenantTurns.mixed(lists, limit: limit)
    }

    /// The first jobs of a tenant in no line, or of those that have none.
    private func candidates(of tenant: Tenant?, limit: Int, now: Timestamp) -> [JobID] {
        var chosen: [JobID] = []
        let ranks = Set(ready.keys).union(due.keys).filter { $0.tenant == tenant }
        for rank in ranks.sorted(by: { $0.priority > $1.priority }) where chosen.count < limit {
            let wanted = limit - chosen.count
            let fresh = (ready[rank]?.places ?? []).lazy.filter { !self.isLapsed($0.id, at: now) }
            let ripe = (due[rank]?.places ?? []).lazy.prefix { $0.time <= now }
                .filter { !self.isLapsed($0.id, at: now) }
            let merged = (Array(fresh.prefix(wanted)) + Array(ripe.prefix(wanted))).sorted()
            chosen += merged.prefix(wanted).map(\.id)
        }
        return chosen
    }

    private func ahead(_ request: ClaimRequest, behind count: Int) -> [JobID] {
        let room = request.roomAhead(behind: count)
        var chosen: [JobID] = []
        for priority in (0...9).reversed() where chosen.count < room {
            let places = due.filter { $0.key.priority == priority }.values.flatMap { order in
                order.places.lazy.drop { $0.time <= request.now }.prefix { $0.time <= request.horizon }
                    .filter { !self.isLapsed($0.id, at: request.horizon) && !self.isGoverned($0.id) }
            }
            chosen += places.sorted().prefix(room - chosen.count).map(\.id)
        }
        return chosen
    }

    private func isGoverned(_ id: JobID) -> Bool {
        entries[id].map { gate.governs($0.job.record.queue) } ?? false
    }

    private func isLapsed(_ id: JobID, at now: Timestamp) -> Bool {
        entries[id]?.job.isLapsed(at: now) ?? true
    }

    /// The jobs whose retention has ended and whose callbacks are stored.
    func purgeable(at now: Timestamp) -> [StoredJob] {
        ids.compactMap { entries[$0]?.job }.filter { job in
            job.record.purgeAt.map { $0 <= now } ?? false && ends[job.number] == nil
        }
    }

    /// The jobs that did not start in time.
    func lapsed(at now: Timestamp) -> [StoredJob] {
        ids.compactMap { entries[$0]?.job }.filter { $0.isLapsed(at: now) }
    }

    mutating func removeKeys(at now: Timestamp, limit: Int) -> Int {
        let over = keys.filter { $0.value.expiresAt <= now }.prefix(limit).map(\.key)
        for key in over { keys[key] = nil }
        return over.count
    }

    mutating func recover(besides survivor: OwnerID?, now: Timestamp) -> Int {
        leases.takeOver(besides: survivor, at: now)
        return putBack(at: now, isDeath: true) { [leases] in $0 != survivor && leases.isOver($0, at: now) }
    }

    mutating func end(_ owner: OwnerID, now: Timestamp) -> Int {
        leases.end(owner)
        return putBack(at: now, isDeath: false) { $0 == owner }
    }

    mutating func putBack(
        at now: Timestamp, isDeath: Bool, of isOver: (OwnerID) -> Bool
    ) -> Int {
        var done = 0
        for id in ids {
            guard var job = entries[id]?.job, let owner = job.owner, isOver(owner) else { continue }
            job.putBack(at: now, isDeath: isDeath)
            put(job)
            done += 1
        }
        return done
    }

    var nextDueAt: Timestamp? {
        (due.values.compactMap { $0.first?.time } + [gate.firstAlarm].compactMap(\.self)).min()
    }

}

extension MemoryLedger.Entry {
    /// The size of what its erasure removes.
    var erasedBytes: Int { bytes + (result?.body.count ?? 0) + job.record.detail.sizeEstimate }

    /// The size of what a claim reads.
    var bytes: Int { spec.count + (journal.isEmpty ? 0 : JournalEntry.encoded(journalForRun).count) }

    /// The entries after `after`, with their numbers.
    func numbered(after: Int64) -> [NumberedEntry] {
        journal.enumerated().dropFirst(Int(clamping: max(0, after))).compactMap { index, entry in
            let number = Int64(index) + 1
            return removed.contains(number) ? nil : NumberedEntry(sequence: number, entry: entry)
        }
    }

    /// The journal with its older part replaced by the summary.
    var journalForRun: [JournalEntry] {
        (summary?.entries ?? []) + numbered(after: summary?.last ?? 0).map(\.entry)
    }
}
