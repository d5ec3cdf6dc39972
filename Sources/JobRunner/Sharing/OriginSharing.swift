internal import JobKit
internal import JobStore

// DESIGN
// What a server learns about an origin from calls is stored a moment later, so that the next process knows it, and is
// told to the other servers. They only adopt what holds calls back; counts of calls and failures stay those of each
// server. Each probes an origin itself when its breaker has been open for long enough.

/// Pauses, breakers and limits of origins, stored and shared with other servers.
final class OriginSharing: Sendable {
    private static let subject = "origin"
    /// The time for which news is gathered.
    private static let newsAfter = Duration.milliseconds(100)

    private let store: any JobStore
    private let link: ServerLink
    private let loop: any EngineLoop
    private let origins: OriginBoard
    private let unfit: UnfitJobs
    private let limits: @Sendable () -> [String: FlowLimits]?

    /// - Parameters:
    ///   - unfit: is told the number of servers, too.
    ///   - limits: the limits of hosts when they have changed since the last call, else nil.
    init(
        store: any JobStore, link: ServerLink, loop: any EngineLoop, origins: OriginBoard, unfit: UnfitJobs,
        limits: @escaping @Sendable () -> [String: FlowLimits]?
    ) {
        self.store = store
        self.link = link
        self.loop = loop
        self.origins = origins
        self.unfit = unfit
        self.limits = limits
    }

    /// Takes over what was learned before, and keeps what is learned from now on.
    func begin(_ reader: any JobReader) throws(JobStoreError) {
        for closing in try reader.closings() { origins.adopt(closing, now: loop.clock.now) }
        link.on(Self.subject) { [self] _, body, _ in
            if let closing = OriginClosing(body) { origins.adopt(closing, now: loop.clock.now) }
        }
        origins.onNews { [self] in
            Task(executorPreference: loop) { [self] in
                guard (try? await loop.clock.sleep(for: Self.newsAfter)) != nil else { return }
                tellNews()
            }
        }
    }

    /// Stores and tells what was learned until now. Writes of jobs that follow are stored after it.
    func tellNews() {
        let now = loop.clock.now
        let news = origins.takeNews(now: now)
        if news.isEmpty { return }
        store.perform(ClosingUpdate(news, at: now)) { _ in }
        link.notify(
            news.map { closing in
                ServerMessage(
                    .notice, job: JobID(high: 0, low: 0), subject: Self.subject, body: closing.bytes)
            })
    }

    /// Applies the limits of hosts that were changed elsewhere.
    func refreshLimits() {
        if let limits = limits() { origins.setLimits(limits, now: loop.clock.now) }
    }

    /// Divides the limits of hosts by the servers that are alive.
    func shareLimits(as owner: OwnerID) async {
        guard
            let servers = try? await store.read({ reader throws(JobStoreError) in
                try reader.servers(countingJobs: false)
            })
        else { return }
        unfit.note(servers: servers.count)
        let ids = servers.map(\.id.description).sorted()
        guard let place = ids.firstIndex(of: owner.description) else { return }
        origins.setShare(OriginShare(place: place, of: ids.count), now: loop.clock.now)
    }
}
