internal import StrictJSON
internal import Synchronization

// DESIGN
// Keys come first, so that no slot is occupied while its holder waits for a key. But an operation that has keys does
// not wait for a slot either: the holder of the slot may wait for the keys, for example as a member of a group that is
// one of its siblings. It releases the keys and queues for a slot, which it takes together with the keys, or not at
// all: when the keys are not free at that time, it queues for them again. So an operation that waits here holds nothing
// that others wait for, and those that hold slots are executed. One goes from one line to the other only because
// another one was executed, so that there is no livelock.

/// The entry of an operation into execution, after its conditions hold.
struct ExecutionEntry {
    let core: OperationCore

    enum Passage {
        /// It is executed.
        case entered
        /// It waits for its keys, without a task.
        case parked
        /// It ended meanwhile, or its run was suspended.
        case over
    }

    /// Takes keys and a slot and enters execution. An operation that is held, or on a suspended queue, takes neither.
    /// - Parameter hasKeys: whether it was parked, and has got its keys.
    func enter(hasKeys: Bool) async -> Passage {
        var hasKeys = hasKeys
        while true {
            if !hasKeys {
                await core.holdGate.waitForRelease()
                guard await core.holdGate.passToEntry() else { return .over }
                if core.settings.hasBaggage, core.keys.parksForThem() { return .parked }
            }
            hasKeys = false
            guard await core.keys.take() else { return .over }
            let keys = core.parts.withLock { $0.keys }
            var answer = await takeSlot(waits: keys.isEmpty)
            let hadToWait = answer == .busy
            if hadToWait {
                core.keys.giveBackEarly()
                answer = await takeSlot(waits: true, with: keys)
            }
            if answer == .busy { continue }
            guard answer == .taken else { return .over }
            if core.queue.hasWaits.load(ordering: .relaxed) { await core.queue.parent?.loan.takeSlotsBack() }
            let now = core.environment.clock.now
            let mustWait = core.holdGate.isClosedToEntry || hadToWait && core.queue.slots.isSuspended
            let isHeld = core.parts.withLock { parts -> Bool? in
                if parts.life.isSettled { return nil }
                if mustWait || parts.life.isHeld { return true }
                return parts.life.accepts(.executes(at: now)) ? false : nil
            }
            guard isHeld == true else { return isHeld == false ? .entered : .over }
            giveBackSlot()
            core.keys.giveBackEarly()
        }
    }

    /// Takes a slot, together with `keys`.
    private func takeSlot(waits: Bool, with keys: Set<ByteKey> = []) async -> SlotPool.Answer {
        core.parts.withLock { $0.slot.isWaiting = true }
        let slots = core.queue.slots
        // Standing in line, too, may be what leaves nothing of the tree that can go on.
        if waits, slots.capacity != nil { core.environment.supervisor?.operationBecameIdle() }
        let takesKeys = core.keys.taking(keys)
        // The operation counts as busy as soon as it has the slot, even before its task learns of it.
        let answer = await slots.take(priority: core.settings.priority, owner: core, waits: waits) {
            core.parts.withLock { $0.slot.isWaiting = false }
            return takesKeys?() ?? true
        }
        let isKept = core.parts.withLock { parts -> Bool in
            parts.slot.isWaiting = false
            guard answer == .taken, parts.life.state == .ready else { return false }
            parts.slot.hold()
            return true
        }
        guard answer == .taken else { return answer }
        let hasKeys = keys.isEmpty ? true : await core.keys.keepWithSlot(keys)
        guard isKept else {
            release()
            return .cancelled
        }
        guard let hasKeys else {
            giveBackSlot()
            return .busy
        }
        return hasKeys ? .taken : .cancelled
    }

    /// A slot that was reserved for the operation stays reserved.
    private func giveBackSlot() {
        let (isHeld, isReserved) = core.parts.withLock { ($0.slot.giveBack(), $0.slot.isReserved) }
        if isHeld { release(isReserved: isReserved) }
    }

    /// Releases a slot without having been executed: it may have been all that went on inside of the one around it.
    private func release(isReserved: Bool = false) {
        core.queue.slots.release(by: core, isReserved: isReserved)
        if core.queue.hasWaits.load(ordering: .relaxed) { core.queue.parent?.loan.lendWhenAllWaits() }
    }

    /// Reserves a slot for it when it has begun in an earlier run and is not over: it had a slot then, and others must
    /// not run in it meanwhile. They might even wait for keys that it has. Before it is put on its queue.
    func reserveSlot() {
        guard core.queue.slots.capacity != nil, core.begunAt != nil,
            core.environment.journal?.history(of: core.path)?.ending == nil
        else { return }
        core.queue.slots.reserve(for: core)
        core.parts.withLock { $0.slot.isReserved = true }
    }
}

// MARK: Its place in line

extension ExecutionEntry {
    /// Keeps its place in line for a slot from its beginning on, when nothing else can delay its entry: the tasks of
    /// several operations may come in another order than these began.
    func keepPlace() {
        let slots = core.queue.slots
        guard slots.capacity != nil, core.settings.runAt == nil,
            !core.path.isEmpty || core.environment.notBefore == nil,
            core.baggage.map({ $0.gate == nil && $0.conditions.isEmpty }) ?? true,
            core.parts.withLock({ !$0.slot.isReserved && $0.life.stop == nil })
        else { return }
        slots.keepPlace(for: core, priority: core.settings.priority)
        let isOver = core.parts.withLock { parts -> Bool in
            if parts.life.state != .finished { parts.slot.keepPlace() }
            return parts.life.state == .finished
        }
        if isOver { slots.cancelReservation(of: core) }
    }

    /// Lets others have its place, since it has to wait for something else.
    func leavePlace() {
        guard core.parts.withLock({ $0.slot.leavePlace() }) else { return }
        core.queue.slots.cancelReservation(of: core)
    }
}

extension OperationCore {
    var entry: ExecutionEntry { ExecutionEntry(core: self) }
}
