internal import Synchronization

/// The wait of an operation for messages from outside.
package struct MessageWait {
    let core: OperationCore

    /// Waits for the first message that matches.
    /// - Parameters:
    ///   - wait: the expected message; when its date passes first, the answer is nil.
    ///   - takes: whether the message must be untaken, and is taken by this operation, for good.
    package func first(
        _ wait: OperationWait, takes: Bool, where matches: @escaping @Sendable (JobMessage) -> Bool
    ) async throws -> JobMessage? {
        let inbox = core.environment.inbox
        if takes, let message = takenBefore(where: matches) { return message }
        if let number = inbox.first(takes: takes, where: matches) { return note(number, takes: takes) }
        if let until = wait.until, until <= core.environment.clock.now { return nil }
        let clock = core.environment.clock
        let number = try await core.lasting(wait) { ticket in
            // The run must not be suspended between the message and the task that it wakes, nor before that task waits.
            let place = inbox.begin(takes: takes, where: matches) { core.endWait(ticket) }
            return await withTaskGroup(of: Int?.self) { group in
                group.addTask { await inbox.next(place) }
                if let until = wait.until {
                    group.addTask {
                        try? await clock.sleep(until: until)
                        return nil
                    }
                }
                let first = await group.next() ?? nil
                group.cancelAll()
                // A message that arrived while the timer fired was taken nevertheless.
                var late: Int?
                for await other in group { late = late ?? other }
                return first ?? late
            }
        }
        try Task.checkCancellation()
        return number.flatMap { note($0, takes: takes) }
    }

    /// The first message that matches of those that earlier attempts took: each attempt gets them again, once each.
    private func takenBefore(where matches: (JobMessage) -> Bool) -> JobMessage? {
        let inbox = core.environment.inbox
        let earlier = core.environment.journal?.history(of: core.path)?.took ?? []
        for number in earlier + core.parts.withLock({ $0.attempt.taken }) {
            guard let message = inbox[number], matches(message) else { continue }
            if core.parts.withLock({ $0.attempt.give(number) }) { return message }
        }
        return nil
    }

    /// Takes a message that is chosen already, unless an operation took it.
    func noteTaken(_ number: Int) {
        guard core.environment.inbox.take(number) else { return }
        _ = note(number, takes: true)
    }

    private func note(_ number: Int, takes: Bool) -> JobMessage? {
        let message = core.environment.inbox[number]
        if takes {
            core.parts.withLock { $0.attempt.take(number) }
            core.environment.journal?.record(
                JournalEntry(
                    at: core.environment.clock.now, path: core.path,
                    event: .took(message: number, bytes: message?.size ?? 0)))
        }
        return message
    }
}

extension OperationCore {
    package var messages: MessageWait { MessageWait(core: self) }
}
