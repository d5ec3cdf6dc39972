internal import Synchronization

/// Places to run in: at most `capacity` are taken at once, handed out by priority and then first come first served.
final class SlotPool: Sendable {
    private struct Room {
        var free: Int
        var isSuspended = false
        var nextTicket: UInt64 = 0
        /// Tickets in line, by priority; a ticket that gave up is no longer in `waiters`.
        var lines = [[UInt64]](repeating: [], count: 10)
        var heads = [Int](repeating: 0, count: 10)
        var waiters: [UInt64: CheckedContinuation<Bool, Never>] = [:]
        var gaveUp: Set<UInt64> = []
    }

    private let room: Mutex<Room>

    /// - Parameter capacity: how many may run at once; nil is no limit.
    init(capacity: Int?) {
        room = Mutex(Room(free: capacity.map { max(1, $0) } ?? .max))
    }

    /// Waits for a place. False when the task was cancelled meanwhile; then no place is held.
    func take(priority: Int) async -> Bool {
        let line = min(9, max(0, priority))
        let ticket: UInt64? = room.withLock { room in
            if room.free > 0 && !room.isSuspended {
                room.free -= 1
                return nil
            }
            room.nextTicket += 1
            return room.nextTicket
        }
        guard let ticket else { return true }
        let isGranted = await withTaskCancellationHandler {
            await withCheckedContinuation { standInLine(ticket, line, $0) }
        } onCancel: {
            let waiter = room.withLock { room -> CheckedContinuation<Bool, Never>? in
                if let waiter = room.waiters.removeValue(forKey: ticket) { return waiter }
                room.gaveUp.insert(ticket)
                return nil
            }
            waiter?.resume(returning: false)
        }
        room.withLock { _ = $0.gaveUp.remove(ticket) }
        return isGranted
    }

    /// Gives a place back.
    func giveBack() {
        let next = room.withLock { room -> CheckedContinuation<Bool, Never>? in
            if room.free == .max { return nil }
            room.free += 1
            return Self.admitNext(&room)
        }
        next?.resume(returning: true)
    }

    /// Stops or resumes handing out places.
    func setSuspended(_ isSuspended: Bool) {
        let admitted = room.withLock { room -> [CheckedContinuation<Bool, Never>] in
            room.isSuspended = isSuspended
            var admitted: [CheckedContinuation<Bool, Never>] = []
            while let next = Self.admitNext(&room) { admitted.append(next) }
            return admitted
        }
        for waiter in admitted { waiter.resume(returning: true) }
    }

    private func standInLine(_ ticket: UInt64, _ line: Int, _ waiter: CheckedContinuation<Bool, Never>) {
        enum Verdict { case gaveUp, waits, admitted(CheckedContinuation<Bool, Never>) }
        let verdict = room.withLock { room -> Verdict in
            if room.gaveUp.remove(ticket) != nil { return .gaveUp }
            room.waiters[ticket] = waiter
            room.lines[line].append(ticket)
            return Self.admitNext(&room).map(Verdict.admitted) ?? .waits
        }
        switch verdict {
        case .gaveUp: waiter.resume(returning: false)
        case .admitted(let next): next.resume(returning: true)
        case .waits: break
        }
    }

    private static func admitNext(_ room: inout Room) -> CheckedContinuation<Bool, Never>? {
        guard room.free > 0, !room.isSuspended, !room.waiters.isEmpty else { return nil }
        for line in stride(from: 9, through: 0, by: -1) {
            while room.heads[line] < room.lines[line].count {
                let ticket = room.lines[line][room.heads[line]]
                room.heads[line] += 1
                if room.heads[line] == room.lines[line].count {
                    room.lines[line].removeAll(keepingCapacity: true)
                    room.heads[line] = 0
                }
                guard let waiter = room.waiters.removeValue(forKey: ticket) else { continue }
                if room.free != .max { room.free -= 1 }
                return waiter
            }
        }
        return nil
    }
}
