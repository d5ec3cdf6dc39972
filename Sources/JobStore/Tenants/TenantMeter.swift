package import JobKit
internal import Synchronization

// DESIGN
// Each server follows the unfinished jobs of tenants that have a limit of them: it reads their ids once, in the
// background, and then the reported commits, those of other servers, too. So a submission costs no read. A job counts
// from its admission, before it is stored. A limit that refuses is read again now and then, so that a lost report does
// not hold a tenant back for long. The rate is that of one server, and the bytes are read again after some seconds: a
// limit is a protection, not an account.

/// Refuses new jobs of tenants that are beyond their limits.
package final class TenantMeter: Sendable {
    private struct Account {
        var rate = RateState()
        var unfinished: Set<JobID> = []
        /// The jobs that were admitted and are not stored yet, with the time of their admission.
        var admitted: [JobID: Timestamp] = [:]
        /// The jobs that changed while the unfinished ones are read, and whether they are unfinished; nil when nothing
        /// is read.
        var changed: [JobID: Bool]?
        var readAt: Timestamp?
        var bytes: Int64 = 0
        var bytesAt: Timestamp?
        var isReadingBytes = false

        var count: Int { unfinished.count + admitted.count }
    }

    private let limits: [String: TenantLimits]
    private let others: TenantLimits?
    private let store: any StoreReading
    private let accounts = Mutex<[Tenant: Account]>([:])
    private let isIdle = Atomic(true)
    private static let bytesLast = Duration.seconds(5)
    /// The time after which the unfinished jobs are read again when they are too many.
    private static let readLast = Duration.seconds(10)
    /// The time after which an admitted job that is not stored does not count.
    private static let admissionLast = Duration.seconds(30)

    /// - Parameters:
    ///   - limits: by the name of the tenant.
    ///   - others: those of all other tenants.
    package init(_ limits: [String: TenantLimits], others: TenantLimits?, store: any StoreReading) {
        self.limits = limits
        self.others = others
        self.store = store
    }

    private func limits(of tenant: Tenant) -> TenantLimits? { limits[tenant.name] ?? others }

    /// Counts the first of a tenant's new jobs, as many as its limits allow.
    /// - Parameter isWhole: whether all are counted, or none.
    /// - Returns: their number, and why the others are refused.
    package func admit(
        _ ids: [JobID], of tenant: Tenant, at now: Timestamp, isWhole: Bool = true
    ) -> (count: Int, refusal: JobStoreError?) {
        guard let limits = limits(of: tenant) else { return (ids.count, nil) }
        let (count, refusal, reads, readsBytes) = accounts.withLock { accounts in
            var account = accounts[tenant] ?? Account()
            defer { accounts[tenant] = account }
            let (most, refusal) = Self.room(for: ids.count, in: &account, limits, at: now)
            let room = isWhole && refusal != nil ? 0 : most
            for id in ids.prefix(room) {
                if let rate = limits.rate { account.rate = rate.taking(account.rate, now: now, ready: now) }
                if limits.unfinishedMax != nil, !account.unfinished.contains(id) {
                    account.admitted[id] = now
                }
            }
            let isOld = account.readAt.map { refusal != nil && now.since($0) > Self.readLast } ?? true
            let reads = limits.unfinishedMax != nil && isOld && account.changed == nil
            if reads { account.changed = [:] }
            let areOld = account.bytesAt.map { now.since($0) > Self.bytesLast } ?? true
            let readsBytes = limits.artifactBytesMax != nil && areOld && !account.isReadingBytes
            if readsBytes { account.isReadingBytes = true }
            return (room, refusal, reads, readsBytes)
        }
        isIdle.store(false, ordering: .releasing)
        if reads { read(tenant, at: now) }
        if readsBytes { readBytes(of: tenant, at: now) }
        return (count, refusal)
    }

    /// Why a tenant may not keep further content of this size; nil when it may. Reads what it has.
    package func refusal(ofContent bytes: Int, by tenant: Tenant) async throws(JobStoreError)
        -> JobStoreError?
    {
        guard let most = limits(of: tenant)?.artifactBytesMax else { return nil }
        let kept = try await store.read { reader throws(JobStoreError) in try reader.artifactBytes(of: tenant)
        }
        guard kept + Int64(bytes) > most else { return nil }
        return JobStoreError(
            .tenantLimited(seconds: 60),
            "You keep \(kept) bytes of content, with these \(bytes) it would be more than your limit of \(most). "
                + "Erase jobs or uploads, or wait for the end of their retention.")
    }

    /// The most content that a tenant may keep; nil when there is no limit.
    package func contentMax(of tenant: Tenant) -> Int64? { limits(of: tenant)?.artifactBytesMax }

    /// Takes back jobs that were admitted and have not been made. From any thread.
    package func withdraw(_ ids: [JobID], of tenant: Tenant) {
        guard !ids.isEmpty, let limits = limits(of: tenant) else { return }
        accounts.withLock { accounts in
            guard var account = accounts[tenant] else { return }
            for id in ids {
                account.admitted[id] = nil
                if let rate = limits.rate { account.rate = rate.givingBack(account.rate) }
            }
            accounts[tenant] = account
        }
    }

    /// The number of new jobs, up to `count`, for which there is room, and why there is none for more.
    private static func room(
        for count: Int, in account: inout Account, _ limits: TenantLimits, at now: Timestamp
    ) -> (Int, JobStoreError?) {
        var room = count
        var refusal: JobStoreError?
        if let rate = limits.rate, rate.room(account.rate, now: now) < room {
            room = rate.room(account.rate, now: now)
            let wait = rate.opening(account.rate, now: now).since(now).wholeMilliseconds
            refusal = JobStoreError(
                .tenantLimited(seconds: max(1, (wait + 999) / 1_000)),
                "You submit more jobs than your rate allows, which is \(rate.burst) at once. Send them later."
            )
        }
        if let most = limits.unfinishedMax {
            if account.count + room > most {
                account.admitted = account.admitted.filter { now.since($0.value) <= Self.admissionLast }
            }
            if account.count + room > most {
                room = max(0, most - account.count)
                refusal = JobStoreError(
                    .tenantLimited(seconds: 5),
                    "Your jobs that have not ended would be more than \(most), which is your limit. Try again when "
                        + "some have ended.")
            }
        }
        if let most = limits.artifactBytesMax, account.bytes > most {
            room = 0
            refusal = JobStoreError(
                .tenantLimited(seconds: 60),
                "Your jobs keep \(account.bytes) bytes of content, and your limit is \(most). Erase some of them, or "
                    + "wait for the end of their retention.")
        }
        return (room, refusal)
    }

    /// Follows the changes of one commit. From any thread.
    package func observe(_ changes: [JobChange]) {
        if isIdle.load(ordering: .acquiring) { return }
        for change in changes where !change.hasOnlyEntries {
            guard let tenant = Tenant(ofStored: change.queue), limits(of: tenant)?.unfinishedMax != nil else {
                continue
            }
            let isUnfinished = change.state.map { !$0.isFinal } ?? false
            accounts.withLock { accounts in
                guard accounts[tenant] != nil else { return }
                accounts[tenant]?.admitted[change.id] = nil
                accounts[tenant]?.changed?[change.id] = isUnfinished
                if isUnfinished {
                    accounts[tenant]?.unfinished.insert(change.id)
                } else {
                    accounts[tenant]?.unfinished.remove(change.id)
                }
            }
        }
    }

    /// Reads the unfinished jobs of a tenant in the background.
    private func read(_ tenant: Tenant, at now: Timestamp) {
        Task { [self] in
            let found = try? await store.read { reader throws(JobStoreError) in
                var query = JobListQuery()
                query.states = Set(JobState.allCases.filter { !$0.isFinal })
                let own = TenantReader(reader, tenant)
                var ids: Set<JobID> = []
                while true {
                    let page = try own.ids(query)
                    ids.formUnion(page.ids)
                    guard let next = page.next else { return ids }
                    query.after = next.id
                }
            }
            accounts.withLock { accounts in
                guard var account = accounts[tenant] else { return }
                if var found {
                    for (id, isUnfinished) in account.changed ?? [:] {
                        if isUnfinished { found.insert(id) } else { found.remove(id) }
                    }
                    account.unfinished = found
                    account.readAt = now
                }
                account.changed = nil
                accounts[tenant] = account
            }
        }
    }

    private func readBytes(of tenant: Tenant, at now: Timestamp) {
        Task { [self] in
            let bytes = try? await store.read { reader throws(JobStoreError) in
                try reader.artifactBytes(of: tenant)
            }
            accounts.withLock { accounts in
                if let bytes { accounts[tenant]?.bytes = bytes }
                accounts[tenant]?.bytesAt = now
                accounts[tenant]?.isReadingBytes = false
            }
        }
    }
}

/// The maximum of what a tenant does and has. Submissions beyond it are refused; what was accepted is done.
package struct TenantLimits: Sendable, Hashable {
    /// The rate of submissions to one server.
    package var rate: RateLimit?
    /// The maximum number of unfinished jobs.
    package var unfinishedMax: Int?
    /// The maximum number of bytes of content that its jobs keep in files.
    package var artifactBytesMax: Int64?

    package init() {}
}
