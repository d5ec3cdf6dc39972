internal import Synchronization

// DESIGN
// A task that waits keeps the frames of all its functions, which are far larger than the operation. So one that waits
// for its keys, or whose work begins with nothing but a wait, is parked: its task ends, and what ends the wait starts
// another one, which goes on from there. What takes the parking out of the operation goes on with it: the end of the
// wait, a stop or a suspension, the first of them.

/// The wait of an operation without a task.
final class Parking: Sendable {
    /// Of the wait.
    let ticket: UInt64
    /// Of the task that waited.
    let priority: TaskPriority
    /// Goes on, in a task. False when the wait was called off.
    let goOn: @Sendable (_ isOver: Bool) async -> Void
    /// Removes what would end the wait.
    let callOff: @Sendable () -> Void

    init(
        ticket: UInt64, callOff: @escaping @Sendable () -> Void,
        goOn: @escaping @Sendable (_ isOver: Bool) async -> Void
    ) {
        self.ticket = ticket
        priority = Task.currentPriority
        self.goOn = goOn
        self.callOff = callOff
    }
}

extension Parking {
    /// Parks an operation, if nothing stops it at the same time. The driving task has to return when it is parked.
    /// - Parameters:
    ///   - begin: begins what ends the wait, which then calls the given function, perhaps at once. False when there is
    ///     nothing to wait for.
    ///   - callOff: undoes that, when something stops the operation. Also called when it has not begun yet, and twice.
    /// - Returns: false when the task has to go on.
    static func park(
        _ core: OperationCore, _ wait: OperationWait, begin: (_ end: @escaping @Sendable () -> Void) -> Bool,
        callOff: @escaping @Sendable () -> Void, goOn: @escaping @Sendable (_ isOver: Bool) async -> Void
    ) -> Bool {
        let ticket = core.beginWait(wait)
        core.environment.supervisor?.waitBegan(until: wait.until ?? .never)
        let parking = Parking(ticket: ticket, callOff: callOff, goOn: goOn)
        let number = core.parts.withLock { parts -> UInt32? in
            guard parts.life.stop == nil, !parts.life.isSettled else { return nil }
            parts.tasks.park(parking)
            return parts.tasks.parkings
        }
        guard let number else {
            core.endWait(ticket)
            return false
        }
        let waits = begin { wake(core, number) }
        guard isParked(core, number) else {
            // Stopped before there was anything to call off.
            if core.mustUnwind { callOff() }
            return true
        }
        if waits { return true }
        // What took it out goes on.
        guard unpark(core, number) != nil else { return true }
        core.endWait(ticket)
        return false
    }

    private static func isParked(_ core: OperationCore, _ number: UInt32) -> Bool {
        core.parts.withLock { $0.tasks.parking != nil && $0.tasks.parkings == number }
    }

    private static func unpark(_ core: OperationCore, _ number: UInt32) -> Parking? {
        core.parts.withLock { $0.tasks.parkings == number ? $0.tasks.unpark() : nil }
    }

    /// The wait is over.
    private static func wake(_ core: OperationCore, _ number: UInt32) {
        unpark(core, number)?.goOn(core, isOver: true)
    }

    /// Goes on in a new task, after it was taken out of its operation.
    func goOn(_ core: OperationCore, isOver: Bool) {
        let parkings = core.parts.withLock { $0.tasks.parkings }
        // What ended the wait may be work of another operation.
        let task = OperationCore.$current.withValue(nil) {
            Task(executorPreference: core.environment.executor, priority: priority) {
                core.endWait(self.ticket)
                await self.goOn(isOver)
            }
        }
        core.drive(task, after: parkings)
    }
}
