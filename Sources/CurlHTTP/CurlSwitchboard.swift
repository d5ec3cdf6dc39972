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
//
// libcurl is given only as many calls as there may be connections; the others wait in a line of the switchboard.

/// Passes each call to the engine of its route.
// Safe because every method is called on the loop only, which they check.
final class CurlSwitchboard: @unchecked Sendable {
    let loop: EventLoop
    let settings: CurlSettings
    let pacer: CurlPacer
    /// The calls that have a connection, and those that wait for one.
    var line: TransferLine<CurlCall>
    var isGivingTurns = false
    private var plain: [EngineUse] = []
    private let plainEnginesMax: Int
    /// The number of calls from which an engine of the default route is skipped while another has fewer.
    private static let callsPerEngine = 32
    private var others: [HTTPCallRoute: EngineUse] = [:]
    private var enginesMade = 0
    private var lastTarget: (url: String, target: CallTarget)?
    private var upkeep: LoopTimer?
    private(set) var isClosed = false

    /// An engine and the time of its last use.
    private struct EngineUse {
        let engine: CurlEngine
        var usedAt: Moment
    }

    init(_ settings: CurlSettings) {
        loop = settings.loop
        self.settings = settings
        pacer = CurlPacer(settings)
        let limits = settings.limits
        let parts = max(1, min(limits.connectionsPerHostMax, limits.connectionsMax) / Self.callsPerEngine)
        plainEnginesMax = parts
        // All engines of the default route together have no more.
        line = TransferLine(
            TransferLine.Limits(
                connectionsPerPlace: limits.connectionsPerHostMax / parts * parts,
                connections: limits.connectionsMax / parts * parts, streams: limits.streamsPerConnectionMax))
    }

    /// Ends a call whose outcome is no longer awaited.
    func cancel(_ call: CurlCall) {
        precondition(loop.isCurrent, "Calls are cancelled on the loop")
        call.isCancelled = true
        if let transfer = call.transfer {
            transfer.engine.cancel(transfer)
        } else if withdraw(call) {
            settle(call, .failure(.cancelledBefore(call)))
        }
    }

    /// Ends everything and frees all resources. Later calls end as cancelled.
    func shutDown() {
        precondition(loop.isCurrent, "A client is closed on its loop")
        isClosed = true
        upkeep = nil
        for call in line.waiting { cancel(call) }
        for use in plain { use.engine.shutDown() }
        for use in others.values { use.engine.shutDown() }
        others.removeAll()
    }

    /// The validated target of a URL; the last one is cached, for consecutive calls to the same place.
    func target(of url: String) throws(HTTPCallFailure) -> CallTarget {
        if let lastTarget, url == lastTarget.url { return lastTarget.target }
        let target = try CallCheck.target(url)
        lastTarget = (url, target)
        return target
    }

    // MARK: Engines

    /// The engine of a route other than the default one.
    func engine(for route: HTTPCallRoute) throws(HTTPCallFailure) -> CurlEngine {
        let now = Moment.now
        if let use = others[route] {
            others[route]?.usedAt = now
            return use.engine
        }
        let plan = try RoutePlan(route)
        if others.count >= settings.limits.routesMax { closeOldest() }
        enginesMade += 1
        let engine = CurlEngine(settings, route: plan, switchboard: self, number: enginesMade)
        others[route] = EngineUse(engine: engine, usedAt: now)
        startUpkeep()
        return engine
    }

    /// The engine for the next call on the default route to a place.
    func plainEngine(for place: Int) throws(HTTPCallFailure) -> CurlEngine {
        if let index = plainIndex(for: place) {
            plain[index].usedAt = .now
            return plain[index].engine
        }
        let engine = CurlEngine(
            settings, route: try RoutePlan(HTTPCallRoute()), switchboard: self, parts: plainEnginesMax)
        plain.append(EngineUse(engine: engine, usedAt: .now))
        if plain.count > 1 { startUpkeep() }
        return engine
    }

    /// The index of the engine for the next call on the default route; nil when another has to be created.
    private func plainIndex(for place: Int) -> Int? {
        if let index = plain.firstIndex(where: { $0.engine.callCount < Self.callsPerEngine }) { return index }
        guard plain.count == plainEnginesMax else { return nil }
        let most =
            line.isMultiplexed(place) ? line.limits.streamsPerPlace : line.limits.connectionsPerPlace
        let usable = plain.indices.filter { plain[$0].engine.callCount(at: place) < most / plainEnginesMax }
        return (usable.isEmpty ? Array(plain.indices) : usable).min {
            plain[$0].engine.callCount < plain[$1].engine.callCount
        }
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
        for (route, use) in others where use.engine.isUnused && use.usedAt <= limit { close(route, use) }
        while plain.count > 1, let last = plain.last, last.engine.isUnused, last.usedAt <= limit {
            last.engine.shutDown()
            plain.removeLast()
        }
        if others.isEmpty && plain.count < 2 { upkeep = nil }
    }

    /// Closes the least recently used route. When all are busy, there is one more than permitted until some are not.
    private func closeOldest() {
        let oldest = others.filter(\.value.engine.isUnused).min { $0.value.usedAt < $1.value.usedAt }
        if let (route, use) = oldest { close(route, use) }
    }

    private func close(_ route: HTTPCallRoute, _ use: EngineUse) {
        use.engine.shutDown()
        others[route] = nil
    }
}
