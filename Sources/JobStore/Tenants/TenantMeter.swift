package import JobKit
internal import Synchronization

// DESIGN
// Each server follows the unfinished jobs of tenants that have a limit of them: it reads their ids once, in the
// background, and then the reported commits, those of other servers, too. So a submission costs no read. The rate is
// that of one server, and the bytes are read again after some seconds: a limit is a protection, not an account.

/// Refuses submissions of tenants that are beyond their limits.
package final class TenantMeter: Sendable {
    private struct Account {
        var rate = RateState()
        var unfinished: Set<JobID> = []
        /// The jobs that ended while the others were read; nil afterwards.
        var ended: Set<JobID>? = []
        var bytes: Int64 = 0
        var bytesAt = Timestamp(milliseconds: 0)
        var isReadingBytes = false
    }

    private let limits: [String: TenantLimits]
    private let others: TenantLimits?
    private let store: any StoreReading
    private let accounts = Mutex<[Tenant: Account]>([:])
    private let isIdle = Atomic(true)
    private static let bytesLast = Duration.seconds(5)

    /// - Parameters:
    ///   - limits: by the name of the tenant.
    ///   - others: those of all other tenants.
    package init(_ limits: [String: TenantLimits], others: TenantLimits?, store: any StoreReading) {
        self.limits = limits
        self.others = others
        self.store = store
    }

    /// Counts new jobs of a tenant, or says why they are refused.
    package func admit(_ count: Int, of tenant: Tenant, at now: Timestamp) -> JobStoreError? {
        guard let limits = limits[tenant.name] ?? others else { return nil }
        let (error, isNew, readsBytes) = accounts.withLock { accounts -> (JobStoreError?, Bool, Bool) in
            var account = accounts[tenant] ?? Account()
            let isNew = accounts[tenant] == nil
            let error = Self.refusal(of: count, account, limits, at: now)
            if error == nil, let rate = limits.rate {
                for _ in 0..<count { account.rate = rate.taking(account.rate, now: now, ready: now) }
            }
            let isOld = now.since(account.bytesAt) > Self.bytesLast
            let readsBytes = limits.artifactBytesMax != nil && isOld && !account.isReadingBytes
            if readsBytes { account.isReadingBytes = true }
            accounts[tenant] = account
            return (error, isNew, readsBytes)
        }
        if isNew {
            isIdle.store(false, ordering: .releasing)
            if limits.unfinishedMax != nil { follow(tenant) }
        }
        if readsBytes { readBytes(of: tenant) }
        return error
    }

    private static func refusal(
        of count: Int, _ account: Account, _ limits: TenantLimits, at now: Timestamp
    ) -> JobStoreError? {
        if let most = limits.unfinishedMax, account.unfinished.count + count > most {
            return JobStoreError(
                .tenantLimited(seconds: 5),
                "Your jobs that have not ended would be more than \(most), which is your limit. Try again when some "
                    + "have ended.")
        }
        if let most = limits.artifactBytesMax, account.bytes > most {
            return JobStoreError(
                .tenantLimited(seconds: 60),
                "Your jobs keep \(account.bytes) bytes of content, and your limit is \(most). Erase some of them, or "
                    + "wait for the end of their retention.")
        }
        if let rate = limits.rate, !rate.admits(account.rate, now: now) {
            let wait = rate.opening(account.rate, now: now).since(now).wholeMilliseconds
            return JobStoreError(
                .tenantLimited(seconds: max(1, (wait + 999) / 1_000)),
                "You have submitted more jobs than your rate allows. Nothing was created; send the request again later."
            )
        }
        return nil
    }

    /// Follows the changes of one commit. From any thread.
    package func observe(_ changes: [JobChange]) {
        if isIdle.load(ordering: .acquiring) { return }
        for change in changes where !change.hasOnlyEntries {
            guard let tenant = Tenant(ofStored: change.queue) else { continue }
            accounts.withLock { accounts in
                guard accounts[tenant] != nil else { return }
                if change.state.map({ $0.isFinal }) ?? true {
                    accounts[tenant]?.unfinished.remove(change.id)
                    accounts[tenant]?.ended?.insert(change.id)
                } else {
                    accounts[tenant]?.unfinished.insert(change.id)
                }
            }
        }
    }

    /// Reads the unfinished jobs of a tenant in the background.
    private func follow(_ tenant: Tenant) {
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
                let ended = accounts[tenant]?.ended ?? []
                accounts[tenant]?.unfinished.formUnion((found ?? []).subtracting(ended))
                accounts[tenant]?.ended = nil
            }
        }
    }

    private func readBytes(of tenant: Tenant) {
        Task { [self] in
            let bytes = try? await store.read { reader throws(JobStoreError) in
                try reader.artifactBytes(of: tenant)
            }
            accounts.withLock { accounts in
                if let bytes { accounts[tenant]?.bytes = bytes }
                accounts[tenant]?.bytesAt = SystemClock().now
                accounts[tenant]?.isReadingBytes = false
            }
        }
    }
}
