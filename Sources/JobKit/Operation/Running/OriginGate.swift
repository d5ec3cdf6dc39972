internal import HTTPMessage
internal import Synchronization

/// The gate between an operation's calls and their origin. A call that has to wait does so before its attempt begins:
/// that costs no attempt, no slot and no memory.
struct OriginGate {
    let core: OperationCore

    /// The outcome of asking for the next attempt.
    enum Passage {
        /// The attempt may begin.
        case passed
        /// The operation is being stopped, or its run is suspended.
        case stopped
        /// The origin is closed for longer than the attempts may take.
        case closed
    }

    /// Returns when the origin of the next call lets it through.
    /// - Parameter series: when the first attempt of the series began; nil when this is the first.
    func pass(isRetry: Bool, series: Timestamp?, startedAt: Timestamp) async -> Passage {
        let board = core.environment.origins
        guard let rule = core.baggage?.origin, !board.isOff else { return .passed }
        while true {
            let context = OperationContext(core: core, attempt: attemptNumber, startedAt: startedAt)
            guard let url = rule.url(context), let origin = board.origin(of: url) else { return .passed }
            let call = OriginCall(
                origin: origin, caller: caller, isRetry: isRetry, heedsCoolDown: rule.heedsCoolDown,
                pauseMax: rule.pauseMax)
            switch board.admit(call, now: core.environment.clock.now) {
            case .pass(let isProbe):
                core.parts.withLock {
                    $0.attempt.give(OriginPass(origin: origin, isProbe: isProbe, url: url))
                }
                return .passed
            case .wait(let until, let reason):
                if let series, let most = rule.elapsedMax, until.since(series) > most { return .closed }
                do { try await wait(for: origin, until: until, reason) } catch { return .stopped }
                guard await core.holdGate.pass() else { return .stopped }
            }
        }
    }

    private var attemptNumber: Int { core.parts.withLock { $0.attempt.number } + 1 }

    /// Waits until the date, or until the origin is reset.
    func wait(for origin: String, until: Timestamp, _ reason: OriginReason) async throws {
        let wait = OperationWait(
            until: until, reason: .origin, key: origin, detail: "\(origin) \(reason.text)")
        let board = core.environment.origins
        let resets = board.resets(of: origin)
        try await core.lasting(wait) { _ in
            let isInLine = if case .concurrency = reason { true } else { false }
            let step = isInLine ? Self.look : .seconds(5)
            if isInLine { board.attend(caller) }
            do {
                while core.environment.clock.now < until, board.resets(of: origin) == resets,
                    !(isInLine && board.hasPlace(caller, at: origin))
                {
                    try await core.environment.clock.sleep(
                        for: min(until.since(core.environment.clock.now), step))
                }
            } catch {
                if isInLine { board.leave(caller, of: origin) }
                throw error
            }
            if isInLine { board.endAttending(caller) }
        }
    }

    /// The time between two looks of an operation in memory for its place.
    private static let look = Duration.milliseconds(50)

    private var caller: OriginCaller { OriginCaller(job: core.environment.seed, path: core.path) }

    /// The pass for a call of an attempt: the one given to the attempt, or a new one. Further calls of an attempt wait
    /// in memory.
    /// - Throws: when the operation is stopped meanwhile.
    func pass(for url: String, isRetry: Bool) async throws(HTTPCallFailure) -> OriginPass? {
        let board = core.environment.origins
        guard !board.isOff else { return nil }
        if let given = takePass(where: { $0.url == url }) { return given }
        guard let origin = board.origin(of: url) else { return nil }
        core.parts.withLock { $0.attempt.origin = origin }
        if let given = takePass(where: { $0.origin == origin }) { return given }
        while true {
            let call = OriginCall(
                origin: origin, caller: caller, isRetry: isRetry, pauseMax: core.baggage?.origin?.pauseMax)
            switch board.admit(call, now: core.environment.clock.now) {
            case .pass(let isProbe): return OriginPass(origin: origin, isProbe: isProbe)
            case .wait(var until, let reason):
                let now = core.environment.clock.now
                if case .concurrency = reason { until = min(until, now.advanced(by: Self.look)) }
                do { try await core.environment.clock.sleep(until: until) } catch {
                    throw HTTPCallFailure(
                        code: "cancelled.transport", detail: "Stopped before anything was sent.",
                        phase: .connect, delivery: .notSent)
                }
            }
        }
    }

    /// Returns an unused pass.
    func returnPass() {
        if let pass = takePass(where: { _ in true }) {
            core.environment.origins.settle(pass, .unknown, now: core.environment.clock.now)
        }
    }

    private func takePass(where fits: (OriginPass) -> Bool) -> OriginPass? {
        core.parts.withLock { $0.attempt.takePass(where: fits) }
    }

    /// Reports the outcome of a call.
    func settle(_ pass: OriginPass?, _ outcome: @autoclosure () -> OriginOutcome) {
        guard let pass else { return }
        core.environment.origins.settle(pass, outcome(), now: core.environment.clock.now)
    }

    /// The start of the next attempt, due at `date`: later when the origin of the last call is closed.
    func opening(after date: Timestamp) -> Timestamp {
        guard core.baggage?.origin?.heedsCoolDown != false,
            let origin = core.parts.withLock({ $0.attempt.origin })
        else {
            return date
        }
        return core.environment.origins.opening(
            of: origin, after: date, pauseMax: core.baggage?.origin?.pauseMax, now: core.environment.clock.now
        )
    }

    /// Whether the operation has got a place for its call while it was suspended.
    func hasPlace(at origin: String) -> Bool {
        core.environment.origins.hasPlace(caller, at: origin)
    }

    /// The origin of the last call and why it holds calls back, when it does.
    var closed: (name: String, reason: OriginReason)? {
        guard let origin = core.parts.withLock({ $0.attempt.origin }) else { return nil }
        return core.environment.origins.reason(of: origin, now: core.environment.clock.now).map {
            (origin, $0)
        }
    }
}

extension OperationCore {
    var origins: OriginGate { OriginGate(core: self) }
}
