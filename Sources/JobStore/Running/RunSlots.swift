internal import Synchronization

/// The free slots of a runner, shared with the store: a job claimed in the commit that stores it takes one before the
/// runner knows of it. A tenant holds at most its share of them, see `TenantShares`.
package final class RunSlots: Sendable {
    private struct Tenants: Sendable {
        var shares: TenantShares
        /// The tenants that a claim passed over because of their share.
        var passedOver: Set<Tenant> = []
        var hasRoom: (@Sendable () -> Void)?
    }

    private let free: Atomic<Int>
    private let tenants: Mutex<Tenants>

    /// Creates `count` free slots.
    package init(_ count: Int) {
        free = Atomic(count)
        tenants = Mutex(Tenants(shares: TenantShares(slots: count)))
    }

    /// Takes up to `count` slots. From any thread.
    /// - Returns: the number taken.
    package func take(_ count: Int) -> Int {
        var known = free.load(ordering: .relaxed)
        while true {
            let taken = min(count, known)
            guard taken > 0 else { return 0 }
            let (exchanged, original) = free.weakCompareExchange(
                expected: known, desired: known - taken, ordering: .acquiringAndReleasing)
            if exchanged { return taken }
            known = original
        }
    }

    /// Returns slots that no job has had. From any thread.
    package func giveBack(_ count: Int) {
        if count > 0 { free.wrappingAdd(count, ordering: .acquiringAndReleasing) }
    }

    // MARK: Tenants

    /// The slots that tenants hold at this moment.
    package var shares: TenantShares { tenants.withLock { $0.shares } }

    /// Whether a job of a tenant would find a slot.
    package func hasRoom(for tenant: Tenant?) -> Bool {
        guard free.load(ordering: .relaxed) > 0 else { return false }
        return tenant.map { tenant in tenants.withLock { !$0.shares.isFull(tenant) } } ?? true
    }

    /// Takes a slot for a job of a tenant; false without one, or when the tenant holds all it may.
    package func takeOne(for tenant: Tenant?) -> Bool {
        guard let tenant else { return take(1) == 1 }
        return tenants.withLock { tenants in
            guard !tenants.shares.isFull(tenant), take(1) == 1 else { return false }
            return tenants.shares.take(tenant)
        }
    }

    /// Counts the slots of claimed jobs, and returns the rest of those taken for the claim.
    package func settle(_ taken: Int, for claims: [Claim]) {
        for claim in claims { note(claim) }
        giveBack(taken - claims.count)
    }

    /// Counts the slot of a claimed job, which is taken.
    package func note(_ claim: Claim) {
        guard let tenant = claim.record.tenant else { return }
        tenants.withLock { $0.shares.add(tenant) }
    }

    /// Returns the slot of a job of a tenant.
    package func giveBack(of tenant: Tenant?) {
        giveBack(1)
        guard let tenant else { return }
        let hasRoom = tenants.withLock { tenants -> (@Sendable () -> Void)? in
            tenants.shares.giveBack(tenant)
            return tenants.passedOver.remove(tenant) == nil ? nil : tenants.hasRoom
        }
        hasRoom?()
    }

    /// Notes the tenants that a claim passed over, so that the next slot of one has the runner ask again.
    /// - Parameter shares: those that the claim began with, and what it took.
    package func notePassedOver(after shares: TenantShares) {
        if shares.full.isEmpty { return }
        let hasRoom = tenants.withLock { tenants -> (@Sendable () -> Void)? in
            tenants.passedOver.formUnion(shares.full)
            // One of them may have returned a slot that the claim did not see.
            return tenants.shares.returns == shares.returns ? nil : tenants.hasRoom
        }
        hasRoom?()
    }

    /// Whether jobs of tenants wait for their share.
    package var hasPassedOver: Bool { tenants.withLock { !$0.passedOver.isEmpty } }

    /// Calls `body` when a tenant that was passed over has room again. On any thread.
    package func onRoom(_ body: @escaping @Sendable () -> Void) { tenants.withLock { $0.hasRoom = body } }
}
