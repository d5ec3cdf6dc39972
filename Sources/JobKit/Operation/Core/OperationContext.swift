public import HTTPMessage
public import StrictJSON

/// The environment of an operation's work.
public struct OperationContext: Sendable {
    package let core: OperationCore

    /// The operation's name.
    public var name: String { core.name }
    /// The path: the names below the root; empty for a root.
    public var path: [String] { core.path }
    /// The number of the attempt, from 1.
    public let attempt: Int
    /// The start of the execution; earlier than this attempt after retries and restarts.
    public let startedAt: Timestamp
    /// Whether the operation was parked, and the wait with which its work begins is over.
    let hasWaited: Bool

    init(core: OperationCore, attempt: Int, startedAt: Timestamp, hasWaited: Bool = false) {
        self.core = core
        self.attempt = attempt
        self.startedAt = startedAt
        self.hasWaited = hasWaited
    }

    /// The clock of the environment.
    public var clock: any OperationClock { core.environment.clock }
    /// Whether a cancellation was requested.
    public var isCancelled: Bool { Task.isCancelled }
    /// The submission of the root of the tree.
    public var submittedAt: Timestamp { core.submittedAt }
    /// A text that is the same for every run of this work and different for any other.
    public var seed: String { core.environment.seed }

    /// Makes a call and records its exchange in the attempt. While the origin has requested a pause or its circuit is
    /// open (`OperationEnvironment.origins`), it waits. In the answer `***` replaces secrets.
    /// - Throws: when there is no answer, the environment has no transport, or the operation is stopped.
    public func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        if let fields = core.environment.callFields?(path, attempt) {
            return try await send(call, with: fields)
        }
        return try await transmit(call)
    }

    private func transmit(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        guard let transport = core.environment.transport else { throw Self.noTransport() }
        let pass = try await core.origins.pass(for: call.url, isRetry: attempt > 1)
        do {
            let answer = try await transport.send(call, without: core.environment.scrubber)
            if answer.body.count > OperationEnvironment.shortBytesMax {
                return await notedLong(answer, pass)
            }
            return noted(answer, pass)
        } catch {
            throw noted(error, pass)
        }
    }

    // Not inlined: otherwise these would enlarge the frame of every call in flight.

    /// Makes a call with these fields as well, unless it has fields of these names.
    @inline(never)
    private func send(
        _ call: HTTPCall, with fields: [(name: String, value: String)]
    ) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        guard let first = fields.first?.name,
            !call.fields.contains(where: { $0.name.lowercased() == first })
        else { return try await transmit(call) }
        var call = call
        call.fields += fields
        return try await transmit(call)
    }

    @inline(never)
    private static func noTransport() -> HTTPCallFailure {
        HTTPCallFailure(
            code: "internal.no_transport", detail: "This queue's environment has no transport.",
            suggestion: "Give OperationEnvironment a transport.", phase: .connect, delivery: .notSent)
    }

    @inline(never)
    private func notedLong(_ answer: HTTPCallAnswer, _ pass: OriginPass?) async -> HTTPCallAnswer {
        let scrubber = core.environment.scrubber
        guard !scrubber.isEmpty else { return noted(answer, pass) }
        var rest = answer
        rest.body = []
        var noted = noted(rest, pass)
        noted.body = await core.environment.workedOut(answer.body.count) { scrubber.scrubbed(answer.body) }
        return noted
    }

    @inline(never)
    private func noted(_ answer: HTTPCallAnswer, _ pass: OriginPass?) -> HTTPCallAnswer {
        let answer = core.environment.scrubber.scrubbed(answer)
        core.note(exchange: answer.exchange, status: answer.status)
        core.origins.settle(pass, OriginOutcome(answer, at: clock.now))
        return answer
    }

    @inline(never)
    private func noted(_ failure: HTTPCallFailure, _ pass: OriginPass?) -> HTTPCallFailure {
        let failure = core.environment.scrubber.scrubbed(failure)
        core.note(exchange: failure.exchange, status: failure.status)
        core.origins.settle(pass, OriginOutcome(failure))
        return failure
    }

    /// The place for content that is too large for memory; nil without one.
    package var artifacts: (any ArtifactPlace)? { core.environment.artifacts }

    /// Stores a value under a name, durably where there is a journal: `recalled` returns it after a restart, too.
    /// Returns when it is on disk.
    /// - Throws: when it cannot be stored.
    public func remember(_ value: JSONValue, as name: String) async throws {
        guard let journal = core.environment.journal else { return core.keep(value, as: name) }
        core.keep(value, as: name)
        journal.record(JournalEntry(at: clock.now, path: path, event: .noted(name: name, value: value)))
        try await journal.flush()
    }

    /// Stores a value under a name without waiting until it is durable. From any thread.
    package func note(_ value: JSONValue, as name: String) {
        core.keep(value, as: name)
        core.environment.journal?.record(
            JournalEntry(at: clock.now, path: path, event: .noted(name: name, value: value)))
    }

    /// The value noted under a name, in this run or an earlier one; nil when there is none.
    public func remembered(_ name: String) -> JSONValue? { core.kept(name) }

    /// Waits for a signal with this name and takes it, durably where there is a journal: a further attempt gets the
    /// same signals again, and then new ones. Signals that came before are taken first. A job keeps its slot meanwhile,
    /// as in `wait(until:)`.
    /// - Parameters:
    ///   - name: the name of the signal.
    ///   - until: when to give up; nil is never.
    ///   - matches: which signals it takes, by their value; others stay for others.
    /// - Returns: the signal's value; nil when it did not come in time.
    /// - Throws: when the operation is stopped.
    public func signal(
        _ name: String, until: Timestamp? = nil,
        where matches: @escaping @Sendable (JSONValue) -> Bool = { _ in true }
    ) async throws -> JSONValue? {
        let message = try await core.messages.first(
            OperationWait(until: until, reason: .signal, key: name), takes: true
        ) { message in
            if case .signal(name, let value) = message.content { return matches(value) }
            return false
        }
        if case .signal(_, let value) = message?.content { return value }
        return nil
    }

    /// The same for a signal with any content. `matches` is passed its value, or its text; nil is other content.
    package func signalContent(
        _ name: String, until: Timestamp?, where matches: @escaping @Sendable (JSONValue?) -> Bool
    ) async throws -> OperationResult? {
        let message = try await core.messages.first(
            OperationWait(until: until, reason: .signal, key: name), takes: true
        ) { message in
            switch message.content {
            case .signal(name, let value): matches(value)
            case .content(name, let content):
                matches(String(validating: content.body, as: UTF8.self).map(JSONValue.string))
            default: false
            }
        }
        switch message?.content {
        case .signal(_, let value): return OperationResult(json: value)
        case .content(_, let content): return content
        default: return nil
        }
    }

    /// Waits until `date`. A job whose kind waits keeps its slot and stays in memory; an attempt that a restart
    /// interrupts begins anew. For a long wait, use the `run_at` of the job, or an operation of type `delay` before it.
    /// - Throws: when the operation is stopped.
    public func wait(until date: Timestamp) async throws {
        try await core.wait(until: WaitEnd(date), reason: .delay)
    }

    /// Waits for `duration` from now on, independently of changes to the wall clock. A job keeps its slot meanwhile, as
    /// in `wait(until:)`.
    /// - Throws: when the operation is stopped.
    public func wait(for duration: Duration) async throws {
        try await core.wait(until: clock.end(after: duration), reason: .delay)
    }
}
