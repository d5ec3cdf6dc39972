public import HTTPMessage

/// What running work may see and ask for.
public struct AOperationContext: Sendable {
    let core: OperationCore

    /// What the operation is called.
    public var name: String { core.name }
    /// Its place: the names from below the root down to it; empty for a root.
    public var path: [String] { core.path }
    /// Which attempt this is, from 1.
    public let attempt: Int
    /// When its execution began; earlier than this attempt after retries and restarts.
    public let startedAt: Timestamp
    /// What time it is.
    public var clock: any AOperationClock { core.environment.clock }
    /// Whether it was asked to stop.
    public var isCancelled: Bool { Task.isCancelled }
    /// When the root of the tree was submitted.
    public var submittedAt: Timestamp { core.submittedAt }
    /// A text that is the same for every run of this work and different for any other.
    public var seed: String { core.environment.seed }

    /// Makes a call and notes in the attempt what happened on the wire.
    public func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        guard let transport = core.environment.transport else {
            throw HTTPCallFailure(
                code: "internal.no_transport", detail: "This queue's environment has no transport.",
                suggestion: "Give AOperationEnvironment a transport.", phase: .connect, delivery: .notSent)
        }
        do {
            let answer = try await transport.send(call)
            core.note(exchange: answer.exchange, status: answer.status)
            return answer
        } catch {
            core.note(exchange: error.exchange, status: error.status)
            throw error
        }
    }

    /// Waits until `date`, durably where there is a journal: the wait goes on after a restart.
    /// - Throws: when the operation is stopped.
    public func wait(until date: Timestamp) async throws {
        try await core.wait(until: date, reason: .delay)
    }
}
