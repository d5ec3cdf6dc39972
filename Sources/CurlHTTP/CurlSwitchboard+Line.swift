import EventIO
import HTTPMessage

/// The line for connections.
extension CurlSwitchboard {
    /// The number of calls that may begin before the loop looks at its sockets again.
    private static var turnsAtOnce: Int { 64 }

    /// Begins a new call.
    func begin(_ call: CurlCall) {
        call.began = .now
        call.caller = loop.currentShare.map { Int(bitPattern: $0) } ?? 0
        start(call, now: call.began)
    }

    /// Begins or resumes a call on the route that it names, or lets it wait in line. A call that is resumed at the
    /// place of its connection keeps its turn.
    func start(_ call: CurlCall, now: Moment) {
        precondition(loop.isCurrent, "Calls begin on the loop")
        do throws(HTTPCallFailure) {
            try CallCheck.checkHead(of: call.request)
            call.target = try target(of: call.request.url)
            guard !call.isCancelled, !isClosed else { throw HTTPCallFailure.cancelledBefore(call) }
            let engine = try engine(of: call)
            if let engine, !engine.route.isPlain { try engine.route.check(call.target, settings) }
            let place = line.place(of: key(of: call.target, engine))
            if place != call.place {
                leave(call)
                guard line.begin(at: place) else { return wait(call, at: place) }
                call.place = place
            }
            try resume(call, at: place, now: now, on: engine)
        } catch {
            settle(call, .failure(error))
        }
    }

    /// Delivers the outcome of a call, which leaves its connection to others.
    func settle(_ call: CurlCall, _ outcome: CurlCall.Outcome) {
        leave(call)
        call.settle(outcome)
    }

    /// Begins the calls whose turn has come.
    func giveTurns() {
        guard line.waitingCount > 0, !isGivingTurns else { return }
        isGivingTurns = true
        defer { isGivingTurns = false }
        for _ in 0..<Self.turnsAtOnce {
            guard let (call, place) = line.next() else { return }
            call.endWait()
            call.place = place
            do throws(HTTPCallFailure) {
                try resume(call, at: place, now: .now, on: try engine(of: call))
            } catch {
                settle(call, .failure(error))
            }
        }
        loop.execute { [weak self] in self?.giveTurns() }
    }

    /// Takes a call out of the line; false when it does not wait there.
    func withdraw(_ call: CurlCall) -> Bool {
        guard let wait = call.wait else { return false }
        line.withdraw(wait.ticket)
        call.endWait()
        return true
    }

    /// The engine of the call's route; nil for the default one, which has several.
    private func engine(of call: CurlCall) throws(HTTPCallFailure) -> CurlEngine? {
        call.request.takesPlainRoute ? nil : try engine(for: call.request.route)
    }

    /// Hands a call that has a connection to an engine of its route.
    private func resume(
        _ call: CurlCall, at place: Int, now: Moment, on engine: CurlEngine?
    ) throws(HTTPCallFailure) {
        if let engine { return engine.start(call, now: now) }
        try plainEngine(for: place).start(call, now: now)
    }

    private func wait(_ call: CurlCall, at place: Int) {
        let ticket = line.wait(call, at: place, by: call.caller)
        let deadline = call.began.advanced(by: call.request.attemptTimeout)
        call.wait = LineWait(ticket, ends: deadline, on: loop) { [weak self, weak call] in
            guard let self, let call, withdraw(call) else { return }
            settle(call, .failure(.endedInLine(call, most: line.limits.connectionsPerPlace)))
        }
    }

    private func leave(_ call: CurlCall) {
        guard let place = call.place else { return }
        call.place = nil
        line.leave(place)
    }

    /// The key of the connections that lead to a target on the route of an engine, nil for the default one.
    private func key(of target: CallTarget, _ engine: CurlEngine?) -> TransferLine<CurlCall>.Key {
        // Connections to a proxy without a tunnel carry calls to any target.
        let proxy = target.isSecure ? nil : engine?.route.proxy(for: target)
        let end = proxy?.target ?? target
        return TransferLine.Key(route: engine?.number ?? 0, host: end.host, port: end.port)
    }
}
