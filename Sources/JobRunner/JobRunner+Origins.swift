internal import JobKit
internal import JobStore
internal import Synchronization

// DESIGN
// What a server learns about an origin from calls is stored a moment later, so that the next process knows it, and is
// told to the other servers. They only adopt what holds calls back; counts of calls and failures stay those of each
// server. Each probes an origin itself when its breaker has been open for long enough.

/// What outlives the process about the origins of calls.
extension JobRunner {
    private static let originSubject = "origin"
    /// The time for which news is gathered.
    private static let originNewsAfter = Duration.milliseconds(100)

    /// Takes over what was learned before, and keeps what is learned from now on.
    func beginOrigins(_ reader: any JobReader) throws(JobStoreError) {
        let now = environment.clock.now
        for closing in try reader.closings() { origins.adopt(closing, now: now) }
        link.on(Self.originSubject) { [self] _, body, _ in
            if let closing = OriginClosing(body) { origins.adopt(closing, now: environment.clock.now) }
        }
        origins.onNews { [self] in
            Task(executorPreference: loop) { [self] in
                try? await environment.clock.sleep(for: Self.originNewsAfter)
                tellOrigins()
            }
        }
    }

    private func tellOrigins() {
        let now = environment.clock.now
        let news = origins.takeNews(now: now)
        if news.isEmpty { return }
        store.keep(news, at: now) { _ in }
        link.notify(
            news.map { closing in
                ServerMessage(
                    .notice, job: JobID(high: 0, low: 0), subject: Self.originSubject, body: closing.bytes)
            })
    }

    /// Applies the limits of hosts that were changed elsewhere, and the part of them that this server may use.
    func refreshOriginLimits() {
        if let limits = settings.originLimits() { origins.setLimits(limits, now: environment.clock.now) }
    }

    /// Divides the limits of hosts by the servers that are alive.
    func shareOriginLimits() async {
        guard store.isShared,
            let servers = try? await store.read({ reader throws(JobStoreError) in try reader.servers() })
        else { return }
        let ids = servers.map(\.id.description).sorted()
        guard let place = ids.firstIndex(of: owner.description) else { return }
        origins.setShare(OriginShare(place: place, of: ids.count), now: environment.clock.now)
    }
}
