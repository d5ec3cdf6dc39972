internal import StrictJSON
internal import Synchronization

// DESIGN
// Who waits for another operation holds no slot: otherwise two operations could wait for each other's slot for ever, as
// soon as there are two queues. So work that waits gives its slot to the first in line and takes it again after the
// wait, before all others in line. Slots are taken again by operations that are executed and have nothing else to wait
// for, from the inner to the outer queue; those that hold one go on, or wait and release theirs. So each gets its turn.
//
// An outer operation waits when all that is executed inside of it does: then no slot of its inner queues is held, as
// every executed operation holds one, also in a queue without a limit. That is looked at when an inner operation begins
// to wait, and from then on when one ends; without such a wait it costs one comparison.

extension OperationCore {
    /// The operation whose work the current task does; nil outside of operations.
    @TaskLocal static var current: OperationCore?

    /// The owner of the durable tree whose work the current task does.
    package static var supervisorOfTask: (any TreeSupervisor)? { current?.environment.supervisor }

    var loan: SlotLoan { SlotLoan(core: self) }
}

/// A wait of an operation's work for what is no operation here, such as a durable job. It holds no slot meanwhile.
package struct OutsideWait: Sendable {
    private let core: OperationCore

    /// Begins a wait of the work that the current task does; nil outside of operations.
    package init?() {
        guard let core = OperationCore.current else { return nil }
        self.core = core
        core.parts.withLock { $0.waits.outside += 1 }
        core.loan.lendSlot()
    }

    /// Ends it. Returns when the operation has its slot again.
    package func end() async {
        core.parts.withLock { $0.waits.outside -= 1 }
        await core.loan.takeSlotsBack()
    }
}

/// The slot of an operation, and those around it, while its work waits.
struct SlotLoan {
    let core: OperationCore

    /// Runs `body`, which returns when the operation is over. The waiting operation shows the wait and holds no slot
    /// meanwhile.
    /// - Throws: `dependency.cycle` when the operation cannot end before the waiting one does.
    func whileAwaited<Value>(_ body: () async -> Value) async throws(AOperationError) -> Value {
        guard let waiting = OperationCore.current, core.ending == nil else { return await body() }
        let ticket = try WaitGraph.begin(waiting, for: core)
        waiting.loan.lendSlot()
        let supervisor = isOfTree(of: waiting) ? nil : waiting.environment.supervisor
        supervisor?.workBeganToAwait()
        let value = await body()
        WaitGraph.end(waiting, ticket, for: core)
        await waiting.loan.takeSlotsBack()
        await supervisor?.workAwaited()
        return value
    }

    /// Whether it belongs to the same durable tree as `other`.
    private func isOfTree(of other: OperationCore) -> Bool {
        let environment = core.environment
        return environment.supervisor != nil && environment.seed.hasSameBytes(as: other.environment.seed)
    }

    /// The unfinished operations that its work waits for.
    var awaitedNow: [OperationCore] {
        core.parts.withLock { Array($0.waits.awaited.values) }.filter { $0.ending == nil }
    }

    // MARK: Its slot

    /// Its work begins to wait: releases its slot, and those around it whose work does nothing else.
    func lendSlot() {
        lendOwnSlot()
        lendOuterSlots()
    }

    /// It waits before its execution for something outside of the operation around it, which may wait from now on.
    func lendOuterSlots() {
        var next = core.queue
        while let outer = next.parent {
            next.hasWaits.store(true, ordering: .sequentiallyConsistent)
            // A member that was granted a slot as it ended releases it while a final member waits already.
            outer.scope?.queue.hasWaits.store(true, ordering: .sequentiallyConsistent)
            next = outer.queue
        }
        core.queue.parent?.loan.lendWhenAllWaits()
    }

    /// Something inside of it ended or began to wait.
    func lendWhenAllWaits() {
        var next: OperationCore? = core
        while let core = next, core.loan.isAllWaiting {
            core.loan.lendOwnSlot()
            next = core.queue.parent
        }
    }

    private func lendOwnSlot() {
        let isLent = core.parts.withLock { $0.life.state == .executing && $0.slot.lend() }
        guard isLent else { return }
        // Work that went on before it saw that the slot is lent has it still.
        if !isAllWaiting, core.parts.withLock({ $0.slot.keepAfterAll() }) { return }
        core.queue.slots.release(by: core)
    }

    /// Whether nothing of its work goes on.
    private var isAllWaiting: Bool {
        let (awaits, scope, children) = core.parts.withLock {
            ($0.waits.isAwaiting, $0.scope, $0.links.children)
        }
        if awaits { return true }
        if let scope { return scope.isAllWaiting }
        let open = children.filter { $0.ending == nil }
        return !open.isEmpty && open.allSatisfy { $0.queue.slots.isUnused }
    }

    /// Its work goes on: takes its slot again, and those around it. When it still waits for another operation as well,
    /// the end of that wait does.
    func takeSlotsBack() async {
        guard core.parts.withLock({ !$0.waits.isAwaiting }) else { return }
        var next: OperationCore? = core
        while let core = next {
            await core.loan.takeOwnSlotBack()
            next = core.queue.parent
        }
    }

    private func takeOwnSlotBack() async {
        let core = core
        while true {
            switch core.parts.withLock({ $0.waits.isAwaiting ? .nothing : $0.slot.beginReturn() }) {
            case .nothing: return
            case .follow:
                await withCheckedContinuation { continuation in
                    if !core.parts.withLock({ $0.slot.follow(continuation) }) { continuation.resume() }
                }
            case .queue:
                await core.queue.slots.takeAgain(owner: core) {
                    core.parts.withLock { !$0.waits.isAwaiting && $0.slot.takeBack() }
                }
                for follower in core.parts.withLock({ $0.slot.endReturn() }) { follower.resume() }
                // It may have begun another wait before it had the slot.
                return lendWhenAllWaits()
            }
        }
    }
}
