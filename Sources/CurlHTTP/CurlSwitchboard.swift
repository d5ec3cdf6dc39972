import EventIO
import HTTPMessage

// DESIGN
// One engine serves the plain way. Every other route gets an engine of its own, made by its first call. libcurl keeps
// connections and resolved names by engine, so that a connection made with one certificate, key, authority, proxy
// user or pinned address cannot carry a call with another, whatever libcurl compares. An engine without calls is
// closed after the time that its connections may be idle, or earlier when there are too many.

/// Puts each call through to the engine of its route.
// Safe because every method is called on the loop only, which they check.
final class CurlSwitchboard: @unchecked Sendable {
    let loop: EventLoop
    private let settings: CurlSettings
    private var plain: CurlEngine?
    private var others: [HTTPCallRoute: Line] = [:]
    private var upkeep: LoopTimer?
    private var isClosed = false

    /// An engine and when it was last asked for.
    private struct Line {
        let engine: CurlEngine
        var usedAt: Moment
    }

    init(_ settings: CurlSettings) {
        loop = settings.loop
        self.settings = settings
    }

    /// Begins a new call.
    func begin(_ call: CurlCall) {
        call.began = .now
        start(call)
    }

    /// Begins a call, or goes on with one, by the route that it names.
    func start(_ call: CurlCall) {
        precondition(loop.isCurrent, "Calls begin on the loop")
        do {
            try engine(for: call).start(call, now: call.redirects == 0 ? call.began : .now)
        } catch {
            call.settle(.failure(error))
        }
    }

    /// Ends a call that nobody waits for any more.
    func cancel(_ call: CurlCall) {
        precondition(loop.isCurrent, "Calls are cancelled on the loop")
        call.isCancelled = true
        guard let transfer = call.transfer else { return }
        transfer.engine.cancel(transfer)
    }

    /// Ends everything and gives back what is held. Calls that begin after that end as cancelled.
    func shutDown() {
        precondition(loop.isCurrent, "A client is closed on its loop")
        isClosed = true
        upkeep = nil
        plain?.shutDown()
        for line in others.values { line.engine.shutDown() }
        others.removeAll()
    }

    private func engine(for call: CurlCall) throws(HTTPCallFailure) -> CurlEngine {
        if call.request.takesPlainRoute || isClosed {
            if let plain { return plain }
            return try plainEngine()
        }
        let route = call.request.route
        let now = Moment.now
        if let line = others[route] {
            others[route]?.usedAt = now
            return line.engine
        }
        if others.count >= settings.limits.routesMax { closeOldest() }
        let engine = CurlEngine(settings, route: try RoutePlan(route), switchboard: self)
        others[route] = Line(engine: engine, usedAt: now)
        startUpkeep()
        return engine
    }

    private func plainEngine() throws(HTTPCallFailure) -> CurlEngine {
        let engine = CurlEngine(settings, route: try RoutePlan(HTTPCallRoute()), switchboard: self)
        if isClosed { engine.shutDown() }
        plain = engine
        return engine
    }

    // MARK: Upkeep

    private func startUpkeep() {
        guard upkeep == nil else { return }
        let timer = LoopTimer(loop: loop) { [weak self] in self?.closeUnused() }
        timer.schedule(every: settings.limits.idleConnectionAgeMax)
        upkeep = timer
    }

    private func closeUnused() {
        let limit = Moment.now.advanced(by: .zero - settings.limits.idleConnectionAgeMax)
        for (route, line) in others where line.engine.isIdle && line.usedAt <= limit { close(route, line) }
        if others.isEmpty { upkeep = nil }
    }

    /// Makes room for one more route. All being busy, there is one more than wanted until some are not.
    private func closeOldest() {
        let oldest = others.filter { $0.value.engine.isIdle }.min { $0.value.usedAt < $1.value.usedAt }
        if let (route, line) = oldest { close(route, line) }
    }

    private func close(_ route: HTTPCallRoute, _ line: Line) {
        line.engine.shutDown()
        others[route] = nil
    }
}
