internal import Synchronization

/// The messages to a running tree, in the order of arrival, and the operations that wait for them.
///
/// A message is taken by at most one operation; others only see it.
package final class JobInbox: Sendable {
    private struct Waiter {
        let matches: @Sendable (JobMessage) -> Bool
        let takes: Bool
        let onMatch: @Sendable () -> Void
        let continuation: CheckedContinuation<Int?, Never>
    }

    private struct Tray {
        var messages: [JobMessage] = []
        var taken: Set<Int> = []
        var waiters: [UInt64: Waiter] = [:]
        var nextTicket: UInt64 = 0
        var gaveUp: Set<UInt64> = []
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
            for (ticket, waiter) in tray.waiters.sorted(by: { $0.key < $1.key }) where waiter.matches(message)
            {
                if waiter.takes && !tray.taken.insert(number).inserted { continue }
                tray.waiters[ticket] = nil
                woken.append(waiter)
            }
            return (number, woken)
        }
        for waiter in woken {
            waiter.onMatch()
            waiter.continuation.resume(returning: number)
        }
    }

    /// Waits for the first message that matches and returns its number; nil when the task was cancelled.
    /// - Parameters:
    ///   - takes: whether the message must be untaken, and is taken by this call.
    ///   - onMatch: called as soon as the message is there, before the waiting task resumes.
    func next(
        takes: Bool, where matches: @escaping @Sendable (JobMessage) -> Bool,
        onMatch: @escaping @Sendable () -> Void = {}
    ) async -> Int? {
        let ticket = tray.withLock { tray -> UInt64 in
            tray.nextTicket += 1
            return tray.nextTicket
        }
        let number = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                wait(
                    ticket,
                    Waiter(matches: matches, takes: takes, onMatch: onMatch, continuation: continuation))
            }
        } onCancel: {
            let waiter = tray.withLock { tray -> Waiter? in
                if let waiter = tray.waiters.removeValue(forKey: ticket) { return waiter }
                tray.gaveUp.insert(ticket)
                return nil
            }
            waiter?.continuation.resume(returning: nil)
        }
        tray.withLock { _ = $0.gaveUp.remove(ticket) }
        return number
    }

    /// The first matching message so far; see `next`.
    package func first(takes: Bool, where matches: (JobMessage) -> Bool) -> Int? {
        tray.withLock { Self.find(in: &$0, takes: takes, matches) }
    }

    private func wait(_ ticket: UInt64, _ waiter: Waiter) {
        enum Step { case answer(Int?), wait }
        let step = tray.withLock { tray -> Step in
            if tray.gaveUp.remove(ticket) != nil { return .answer(nil) }
            if let number = Self.find(in: &tray, takes: waiter.takes, waiter.matches) {
                return .answer(number)
            }
            tray.waiters[ticket] = waiter
            return .wait
        }
        if case .answer(let number) = step { waiter.continuation.resume(returning: number) }
    }

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
