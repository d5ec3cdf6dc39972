internal import Synchronization

/// Who holds which exclusive key. Keys are taken all at once, first come first served: whoever waits for a key keeps
/// later comers from overtaking on that key, and keeps nobody from any other key.
public final class ExclusionRegistry: Sendable {
    private struct Waiter {
        let ticket: UInt64
        let keys: Set<String>
        let continuation: CheckedContinuation<Bool, Never>
    }

    private struct Board {
        var held: Set<String> = []
        var line: [Waiter] = []
        var nextTicket: UInt64 = 0
        var gaveUp: Set<UInt64> = []
    }

    private let board = Mutex(Board())

    /// No key is held.
    public init() {}

    /// Waits until all `keys` are free and takes them. False when the task was cancelled meanwhile; nothing is held
    /// then.
    func take(_ keys: Set<String>) async -> Bool {
        guard !keys.isEmpty else { return true }
        let ticket = board.withLock { board -> UInt64 in
            board.nextTicket += 1
            return board.nextTicket
        }
        let isGranted = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                standInLine(Waiter(ticket: ticket, keys: keys, continuation: continuation))
            }
        } onCancel: {
            leave(ticket)
        }
        board.withLock { _ = $0.gaveUp.remove(ticket) }
        return isGranted
    }

    /// Gives `keys` back.
    func giveBack(_ keys: Set<String>) {
        guard !keys.isEmpty else { return }
        let admitted = board.withLock { board -> [Waiter] in
            board.held.subtract(keys)
            return Self.admit(&board)
        }
        for waiter in admitted { waiter.continuation.resume(returning: true) }
    }

    private func standInLine(_ waiter: Waiter) {
        let (refused, admitted) = board.withLock { board -> (Bool, [Waiter]) in
            if board.gaveUp.remove(waiter.ticket) != nil { return (true, []) }
            board.line.append(waiter)
            return (false, Self.admit(&board))
        }
        if refused { waiter.continuation.resume(returning: false) }
        for waiter in admitted { waiter.continuation.resume(returning: true) }
    }

    private func leave(_ ticket: UInt64) {
        let (gone, admitted) = board.withLock { board -> (Waiter?, [Waiter]) in
            guard let index = board.line.firstIndex(where: { $0.ticket == ticket }) else {
                board.gaveUp.insert(ticket)
                return (nil, [])
            }
            let gone = board.line.remove(at: index)
            return (gone, Self.admit(&board))
        }
        gone?.continuation.resume(returning: false)
        for waiter in admitted { waiter.continuation.resume(returning: true) }
    }

    private static func admit(_ board: inout Board) -> [Waiter] {
        var wanted: Set<String> = []
        var admitted: [Waiter] = []
        var rest: [Waiter] = []
        for waiter in board.line {
            if waiter.keys.isDisjoint(with: board.held) && waiter.keys.isDisjoint(with: wanted) {
                board.held.formUnion(waiter.keys)
                admitted.append(waiter)
            } else {
                wanted.formUnion(waiter.keys)
                rest.append(waiter)
            }
        }
        board.line = rest
        return admitted
    }
}
