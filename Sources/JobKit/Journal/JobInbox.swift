internal import Synchronization

/// The messages to a running tree, in the order of arrival, and the operations that wait for them.
///
/// A message is taken by at most one operation; others only see it.
package final class JobInbox: Sendable {
    private struct Waiter {
        let matches: @Sendable (JobMessage) -> Bool
        let takes: Bool
        let onMatch: @Sendable () -> Void
        /// The task that waits; nil before it does.
        var continuation: CheckedContinuation<Int?, Never>?
        /// The message that came before the task waited.
        var number: Int?
        var hasGivenUp = false
    }

    private struct Tray {
        var messages: [JobMessage] = []
        var taken: Set<Int> = []
        var waiters: [UInt64: Waiter] = [:]
        var nextTicket: UInt64 = 0
    }

    private let tray: Mutex<Tray>

    /// - Parameters:
    ///   - messages: the earlier messages.
    ///   - taken: the numbers, from 1, of the taken ones.
    package init(messages: [JobMessage] = [], taken: Set<Int> = []) {
        tray = Mutex(Tray(messages: messages, taken: taken))
    }

    /// The message with this number, from 1; nil when there is none.
    package subscript(number: Int) -> JobMessage? {
        tray.withLock { $0.messages.indices.contains(number - 1) ? $0.messages[number - 1] : nil }
    }

    /// Adds a message and wakes the first waiter to take it and all waiters to see it.
    package func deliver(_ message: JobMessage) {
        let (number, woken) = tray.withLock { tray -> (Int, [Waiter]) in
            tray.messages.append(message)
            let number = tray.messages.count
            var woken: [Waiter] = []
            for (ticket, waiter) in tray.waiters.sorted(by: { $0.key < $1.key })
            where waiter.number == nil && !waiter.hasGivenUp && waiter.matches(message) {
                if waiter.takes && !tray.taken.insert(number).inserted { continue }
                if waiter.continuation == nil {
                    tray.waiters[ticket]?.number = number
                } else {
                    tray.waiters[ticket] = nil
                }
                woken.append(waiter)
            }
            return (number, woken)
        }
        for waiter in woken {
            waiter.onMatch()
            waiter.continuation?.resume(returning: number)
        }
    }

    /// Begins to wait for the first message that matches; `next` with the ticket must follow.
    /// - Parameters:
    ///   - takes: whether the message must be untaken, and is taken.
    ///   - onMatch: called as soon as the message is there, before the waiting task resumes.
    func begin(
        takes: Bool, where matches: @escaping @Sendable (JobMessage) -> Bool,
        onMatch: @escaping @Sendable () -> Void = {}
    ) -> UInt64 {
        let (ticket, isThere) = tray.withLock { tray -> (UInt64, Bool) in
            tray.nextTicket += 1
            let number = Self.find(in: &tray, takes: takes, matches)
            tray.waiters[tray.nextTicket] = Waiter(
                matches: matches, takes: takes, onMatch: onMatch, number: number)
            return (tray.nextTicket, number != nil)
        }
        if isThere { onMatch() }
        return ticket
    }

    /// Waits for the message and returns its number; nil when the task was cancelled before it came.
    func next(_ ticket: UInt64) async -> Int? {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let over = tray.withLock { tray -> Waiter? in
                    guard let waiter = tray.waiters[ticket], waiter.number != nil || waiter.hasGivenUp else {
                        tray.waiters[ticket]?.continuation = continuation
                        return nil
                    }
                    return tray.waiters.removeValue(forKey: ticket)
                }
                if let over { continuation.resume(returning: over.number) }
            }
        } onCancel: {
            let waiter = tray.withLock { tray -> Waiter? in
                if tray.waiters[ticket]?.continuation != nil {
                    return tray.waiters.removeValue(forKey: ticket)
                }
                if tray.waiters[ticket]?.number == nil { tray.waiters[ticket]?.hasGivenUp = true }
                return nil
            }
            waiter?.continuation?.resume(returning: nil)
        }
    }

    /// The first matching message so far; see `begin`.
    package func first(takes: Bool, where matches: (JobMessage) -> Bool) -> Int? {
        tray.withLock { Self.find(in: &$0, takes: takes, matches) }
    }

    /// Takes a message; false when it was taken before.
    func take(_ number: Int) -> Bool { tray.withLock { $0.taken.insert(number).inserted } }

    private static func find(in tray: inout Tray, takes: Bool, _ matches: (JobMessage) -> Bool) -> Int? {
        for (index, message) in tray.messages.enumerated() {
            let number = index + 1
            guard !(takes && tray.taken.contains(number)), matches(message) else { continue }
            if takes { tray.taken.insert(number) }
            return number
        }
        return nil
    }
}
