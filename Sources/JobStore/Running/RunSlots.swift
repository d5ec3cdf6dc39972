internal import Synchronization

/// The free slots of a runner, shared with the store: a job claimed in the commit that stores it takes one before the
/// runner knows of it. A tenant holds at most its share of them, see `TenantShares`. A run that released its slot while
/// it waited takes one again before all others.
package final class RunSlots: Sendable {
    private struct Tenants: Sendable {
        var shares: TenantShares
        /// The tenants that a claim passed over because of their share.
        var passedOver: Set<Tenant> = []
        var hasRoom: (@Sendable () -> Void)?
    }

    /// Below zero while runs that were cancelled have slots beyond the limit.
    private let free: Atomic<Int>
    private let tenants: Mutex<Tenants>
    private let line = Mutex(SlotLine())
    /// The number of runs in line.
    private let waiting = Atomic<Int>(0)

    /// Creates `count` free slots.
    package init(_ count: Int) {
        free = Atomic(count)
        tenants = Mutex(Tenants(shares: TenantShares(slots: count)))
    }

    /// Takes up to `count` slots, none while a run waits to take its slot again. From any thread.
    /// - Returns: the number taken.
    package func take(_ count: Int) -> Int {
        waiting.load(ordering: .relaxed) > 0 ? 0 : takeFree(count)
    }

    private func takeFree(_ count: Int) -> Int {
        var known = free.load(ordering: .sequentiallyConsistent)
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
        guard count > 0 else { return }
        free.wrappingAdd(count, ordering: .sequentiallyConsistent)
        if waiting.load(ordering: .sequentiallyConsistent) > 0 { admit() }
    }

    // MARK: Tenants

    /// The slots that tenants hold at this moment.
    package var shares: TenantShares { tenants.withLock { $0.shares } }

    /// Whether a job of a tenant would find a slot.
    package func hasRoom(for tenant: Tenant?) -> Bool {
        guard free.load(ordering: .relaxed) > 0, waiting.load(ordering: .relaxed) == 0 else { return false }
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

    // MARK: Slots taken again

    /// Takes a slot in place of one that was released for a wait, before all others and beyond the tenant's share; at
    /// once, beyond the limit if need be, when the task is cancelled.
    package func takeAgain(for tenant: Tenant?) async {
        let ticket = line.withLock { $0.makeTicket() }
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                if enter(ticket, continuation) { admit() } else { takeBeyond(continuation) }
            }
        } onCancel: {
            if let waiter = cancel(ticket) { takeBeyond(waiter) }
        }
        line.withLock { $0.forget(ticket) }
        let hasRoom = tenants.withLock { tenants in
            if let tenant { tenants.shares.add(tenant) }
            return tenants.hasRoom
        }
        // A claim may have found none for no other reason than this place in line.
        if free.load(ordering: .sequentiallyConsistent) > 0 { hasRoom?() }
    }

    private func enter(_ ticket: UInt64, _ continuation: SlotLine.Waiter) -> Bool {
        line.withLock { line in
            defer { waiting.store(line.count, ordering: .sequentiallyConsistent) }
            return line.enter(ticket, continuation)
        }
    }

    private func cancel(_ ticket: UInt64) -> SlotLine.Waiter? {
        line.withLock { line in
            defer { waiting.store(line.count, ordering: .sequentiallyConsistent) }
            return line.cancel(ticket)
        }
    }

    private func takeBeyond(_ waiter: SlotLine.Waiter) {
        free.wrappingSubtract(1, ordering: .sequentiallyConsistent)
        waiter.resume()
    }

    /// Hands the free slots to the first in line.
    private func admit() {
        let admitted = line.withLock { line in
            defer { waiting.store(line.count, ordering: .sequentiallyConsistent) }
            return line.removeFirst(takeFree(line.count))
        }
        for waiter in admitted { waiter.resume() }
    }
}
