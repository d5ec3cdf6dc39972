internal import HTTPMessage
internal import Synchronization

/// Calls ask their origin before they begin. What has to wait is put down like any other wait, before its attempt
/// begins: it costs no attempt, no slot and no memory.
extension OperationCore {
    /// How the way to the next attempt ended.
    enum OriginGate {
        /// The attempt may begin.
        case passed
        /// The operation is being stopped, or was put down.
        case stopped
        /// The origin is closed for longer than the attempts may take.
        case closed
    }

    /// Returns when the origin of the next call lets it through.
    /// - Parameter series: when the first attempt of the series began; nil when this is the first.
    func passOrigin(isRetry: Bool, series: Timestamp?, startedAt: Timestamp) async -> OriginGate {
        let board = environment.origins
        guard let rule = settings.origin, !board.rules.areOff else { return .passed }
        while true {
            let context = AOperationContext(core: self, attempt: attemptNumber, startedAt: startedAt)
            guard let url = rule.url(context), let origin = board.origin(of: url) else { return .passed }
            let call = OriginCall(
                origin: origin, isRetry: isRetry, heedsCoolDown: rule.heedsCoolDown, pauseMax: rule.pauseMax)
            switch board.admit(call, now: environment.clock.now) {
            case .pass(let isProbe):
                standing.withLock { $0.originPass = OriginPass(origin: origin, isProbe: isProbe, url: url) }
                return .passed
            case .wait(let until, let reason):
                if let series, let most = rule.elapsedMax, until.since(series) > most { return .closed }
                do { try await waitForOrigin(origin, until: until, reason) } catch { return .stopped }
                guard await passHold() else { return .stopped }
            }
        }
    }

    private var attemptNumber: Int { standing.withLock { $0.attempt } + 1 }

    /// Waits until the date, or until somebody resets the origin.
    func waitForOrigin(_ origin: String, until: Timestamp, _ reason: OriginReason) async throws {
        let wait = OperationWait(
            until: until, reason: .origin, key: origin, detail: "\(origin) \(reason.text)")
        let board = environment.origins
        let resets = board.resets(of: origin)
        try await lasting(wait) { _ in
            while environment.clock.now < until, board.resets(of: origin) == resets {
                try await environment.clock.sleep(for: min(until.since(environment.clock.now), .seconds(5)))
            }
        }
    }

    /// The pass for a call that an attempt makes: the one that was given to the attempt, or a new one. A call besides
    /// the first of an attempt waits in memory.
    /// - Throws: when the operation is stopped meanwhile.
    func originPass(for url: String, isRetry: Bool) async throws(HTTPCallFailure) -> OriginPass? {
        let board = environment.origins
        guard !board.rules.areOff else { return nil }
        if let given = takeOriginPass(where: { $0.url == url }) { return given }
        guard let origin = board.origin(of: url) else { return nil }
        standing.withLock { $0.origin = origin }
        if let given = takeOriginPass(where: { $0.origin == origin }) { return given }
        while true {
            let call = OriginCall(origin: origin, isRetry: isRetry, pauseMax: settings.origin?.pauseMax)
            switch board.admit(call, now: environment.clock.now) {
            case .pass(let isProbe): return OriginPass(origin: origin, isProbe: isProbe)
            case .wait(let until, _):
                do { try await environment.clock.sleep(until: until) } catch {
                    throw HTTPCallFailure(
                        code: "cancelled.transport", detail: "Stopped before anything was sent.",
                        phase: .connect, delivery: .notSent)
                }
            }
        }
    }

    /// Gives back a pass with which no call was made.
    func returnOriginPass() {
        if let pass = takeOriginPass(where: { _ in true }) {
            environment.origins.settle(pass, .unknown, now: environment.clock.now)
        }
    }

    private func takeOriginPass(where fits: (OriginPass) -> Bool) -> OriginPass? {
        standing.withLock { standing in
            guard let pass = standing.originPass, fits(pass) else { return nil }
            standing.originPass = nil
            standing.origin = pass.origin
            return pass
        }
    }

    /// Says how a call ended.
    func settle(_ pass: OriginPass?, _ outcome: @autoclosure () -> OriginOutcome) {
        guard let pass else { return }
        environment.origins.settle(pass, outcome(), now: environment.clock.now)
    }

    /// When the next attempt may begin that is due at `date`: later when the origin of the last call is closed.
    func openingOfOrigin(after date: Timestamp) -> Timestamp {
        guard settings.origin?.heedsCoolDown != false, let origin = standing.withLock({ $0.origin }) else {
            return date
        }
        return environment.origins.opening(
            of: origin, after: date, pauseMax: settings.origin?.pauseMax, now: environment.clock.now)
    }

    /// The origin of the last call and why it holds calls back, when it does.
    func closedOrigin() -> (name: String, reason: OriginReason)? {
        guard let origin = standing.withLock({ $0.origin }) else { return nil }
        return environment.origins.reason(of: origin, now: environment.clock.now).map { (origin, $0) }
    }
}
