import EventIO
import HTTPMessage

// DESIGN
// Every route except the default one gets a separate engine, created by its first call. libcurl keeps connections and
// resolved names by engine, so that a connection made with one certificate, key, authority, proxy user or pinned
// address cannot carry a call with another, whatever libcurl compares. An engine without calls is closed after the
// maximum idle time of its connections, or earlier when there are too many.
//
// The default route has several engines that are filled one after another: for each call libcurl scans all connections
// that it has to that host, busy ones included. While there are few calls, they share the connections of the first
// engine.

/// Passes each call to the engine of its route.
// Safe because every method is called on the loop only, which they check.
final class CurlSwitchboard: @unchecked Sendable {
    let loop: EventLoop
    private let settings: CurlSettings
    let pacer: CurlPacer
    private var plain: [Line] = []
    private let plainEnginesMax: Int
    /// The number of calls from which an engine of the default route is skipped while another has fewer.
    private static let callsPerEngine = 32
    private var others: [HTTPCallRoute: Line] = [:]
    private var upkeep: LoopTimer?
    private var isClosed = false

    /// An engine and the time of its last use.
    private struct Line {
        let engine: CurlEngine
        var usedAt: Moment
    }

    init(_ settings: CurlSettings) {
        loop = settings.loop
        self.settings = settings
        pacer = CurlPacer(settings)
        plainEnginesMax = max(1, settings.limits.connectionsPerHostMax / Self.callsPerEngine)
    }

    /// Begins a new call.
    func begin(_ call: CurlCall) {
        call.began = .now
        start(call)
    }

    /// Begins or resumes a call on the route that it names.
    func start(_ call: CurlCall) {
        precondition(loop.isCurrent, "Calls begin on the loop")
        do {
            try engine(for: call).start(call, now: call.redirects == 0 ? call.began : .now)
        } catch {
            call.settle(.failure(error))
        }
    }

    /// Ends a call whose outcome is no longer awaited.
    func cancel(_ call: CurlCall) {
        precondition(loop.isCurrent, "Calls are cancelled on the loop")
        call.isCancelled = true
        guard let transfer = call.transfer else { return }
        transfer.engine.cancel(transfer)
    }

    /// Ends everything and frees all resources. Later calls end as cancelled.
    func shutDown() {
        precondition(loop.isCurrent, "A client is closed on its loop")
        isClosed = true
        upkeep = nil
        for line in plain { line.engine.shutDown() }
        for line in others.values { line.engine.shutDown() }
        others.removeAll()
    }

    private func engine(for call: CurlCall) throws(HTTPCallFailure) -> CurlEngine {
        if call.request.takesPlainRoute || isClosed {
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
        if let place = plainPlace {
            plain[place].usedAt = .now
            return plain[place].engine
        }
        let engine = CurlEngine(
            settings, route: try RoutePlan(HTTPCallRoute()), switchboard: self, parts: plainEnginesMax)
        if isClosed { engine.shutDown() }
        plain.append(Line(engine: engine, usedAt: .now))
        if plain.count > 1 { startUpkeep() }
        return engine
    }

    /// The engine for the next call on the default route; nil when another has to be created.
    private var plainPlace: Int? {
        if let place = plain.firstIndex(where: { $0.engine.callCount < Self.callsPerEngine }) { return place }
        guard plain.count == plainEnginesMax else { return nil }
        return plain.indices.min { plain[$0].engine.callCount < plain[$1].engine.callCount }
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
        for (route, line) in others where line.engine.callCount == 0 && line.usedAt <= limit {
            close(route, line)
        }
        while plain.count > 1, let last = plain.last, last.engine.callCount == 0, last.usedAt <= limit {
            last.engine.shutDown()
            plain.removeLast()
        }
        if others.isEmpty && plain.count < 2 { upkeep = nil }
    }

    /// Closes the least recently used route. When all are busy, there is one more than permitted until some are not.
    private func closeOldest() {
        let oldest = others.filter { $0.value.engine.callCount == 0 }.min {
            $0.value.usedAt < $1.value.usedAt
        }
        if let (route, line) = oldest { close(route, line) }
    }

    private func close(_ route: HTTPCallRoute, _ line: Line) {
        line.engine.shutDown()
        others[route] = nil
    }
}
