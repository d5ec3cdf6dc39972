import DurableJobs
import EventIO
import HTTPMessage
import JobKit
import JobRunner
import JobSpec
import JobStore
import Synchronization

/// The state that all HTTP loops share.
final class Door: Sendable {
    let entrance: Entrance
    let gate: TokenGate
    let store: any JobStore
    let reads: RequestReads
    let engine: any RunControl
    /// Reads the specs of new jobs.
    let intake: Intake
    let settings: StoredSettings
    let news: JobNews
    /// Journal indexes of recently read large jobs.
    let journals = JournalIndexCache()
    let limits: RequestLimits
    let metrics: Metrics
    /// Sends spans to a collector; nil without tracing.
    let traces: TraceExporter?
    let log: Log
    let process = ServerProcess()

    init(
        entrance: Entrance, gate: TokenGate, engine: JobEngine, reads: RequestReads, limits: RequestLimits,
        metrics: Metrics, traces: TraceExporter?, log: Log
    ) {
        self.entrance = entrance
        self.gate = gate
        store = engine.store
        self.reads = reads
        self.engine = engine.runner
        intake = engine.intake
        settings = engine.settings
        news = JobNews(statuses: StatusCache(keepsAnswers: !reads.areRemote))
        self.limits = limits
        self.metrics = metrics
        self.traces = traces
        self.log = log
    }

    /// The reads and writes of a tenant; nil has those of everything.
    /// - Parameter whole: reads of everything.
    func access(
        of tenant: Tenant?, _ whole: any JobReader
    ) -> (reader: any JobReader, store: any RequestStore) {
        guard let tenant else { return (whole, store) }
        return (
            TenantReader(whole, tenant),
            TenantStore(store.writing(for: tenant), tenant, reader: whole, meter: limits.meter)
        )
    }
}

/// The ways by which requests reach the server.
final class Entrance: Sendable {
    let router: Router
    let site: SiteGuard
    let page: PageSettings
    let proxies: TrustedProxies
    let pathPrefix: PathPrefix
    /// The URL at which others reach the server, for callback URLs; nil has none.
    let publicURL: String?
    /// The minimum log level at which requests are logged.
    let logLevel: LogLevel

    init(
        router: Router, site: SiteGuard, page: PageSettings, proxies: TrustedProxies, pathPrefix: PathPrefix,
        publicURL: String?, logLevel: LogLevel
    ) {
        self.router = router
        self.site = site
        self.page = page
        self.proxies = proxies
        self.pathPrefix = pathPrefix
        self.publicURL = publicURL
        self.logLevel = logLevel
    }

    /// The path of a request without the prefix of a proxy.
    func path(of head: HTTPRequestHead) -> ArraySlice<UInt8> {
        pathPrefix.stripped(from: head.target.pathBytes)
    }

    /// The address of the client, also behind trusted proxies.
    func client(of head: HTTPRequestHead, from peer: PeerAddress) -> IPAddress {
        proxies.client(of: head.fields, from: peer.address)
    }

    /// The user whom a trusted proxy names; nil when there is none.
    func user(of head: HTTPRequestHead, from peer: PeerAddress) -> String? {
        proxies.user(of: head.fields, from: peer.address)
    }

    /// The host that the client asked for, where a trusted proxy names it.
    func host(of head: HTTPRequestHead, from peer: PeerAddress) -> String? {
        proxies.host(of: head.fields, from: peer.address)
    }

    /// The prefix of links: the one that a trusted proxy names, or that of the configuration; usually empty.
    func prefix(of head: HTTPRequestHead, from peer: PeerAddress) -> String {
        let told = proxies.prefix(of: head.fields, from: peer.address)
        return told.isEmpty ? pathPrefix.text : told
    }
}

/// The threads on which requests read when their loop must not.
struct RequestReads: Sendable {
    /// The threads for slow reads, and for all reads where these are remote.
    let threads: ReaderPool
    let largeBodies: LargeBodies
    /// Whether other servers change the store, so that a request reads on a thread that may block.
    let areRemote: Bool

    init(of store: any JobStore) throws(JobStoreError) {
        areRemote = store.isShared
        threads = try ReaderPool(store: store, count: areRemote ? ReaderPool.remoteCount : 2)
        largeBodies = LargeBodies(store)
    }
}

/// Tells requests that wait, streams and caches about changes of jobs.
struct JobNews: Sendable {
    /// Notifies long polls.
    let watch = JobWatch()
    /// The changes for event streams.
    let feed = ChangeFeed(life: String(SystemTime.now().milliseconds, radix: 36))
    /// Recently read jobs.
    let statuses: StatusCache

    /// Takes the changes of a commit. From any thread.
    func observe(_ changes: [JobChange]) {
        statuses.observe(changes)
        feed.observe(changes)
        watch.observe(changes)
    }

    /// Has all readers look again, since changes by other servers may be missing.
    func skip() {
        feed.skip()
        watch.release()
    }

    func close() {
        feed.close()
        watch.close()
    }
}

/// The limits that requests share, with what is in use of them.
struct RequestLimits: Sendable {
    let admission: Admission
    /// Holds tenants to their limits.
    let meter: TenantMeter
    /// The size of the largest upload.
    let uploadBytesMax: Int
    /// The content on its way, by tenant.
    let arrivals: ContentTally
    let uploads = UploadPlaces()
    /// The bodies on their way to callback URLs.
    let reports = UploadPlaces()
    /// The memory of long answers that clients have not read yet.
    let answers = AnswerMemory()
    let rangeLooks = RangeLooks()
    let hookWaits = WaitPlaces()
    let hookRates = HookRates()
    /// Which refused requests are written down.
    let refusals = RefusalBook()

    init(admission: Admission, meter: TenantMeter, uploadBytesMax: Int) {
        self.admission = admission
        self.meter = meter
        self.uploadBytesMax = uploadBytesMax
        arrivals = ContentTally(meter)
    }
}

/// The sockets and loops of the process, and its end.
final class ServerProcess: Sendable {
    /// The listeners, to count their connections.
    let listeners = Mutex<[HTTPListener]>([])
    /// The loops of requests and of the engine, to measure their turns.
    let loops = Mutex<[EventLoop]>([])
    /// Whether the process has run out of descriptors.
    let isOutOfDescriptors = Atomic(false)
    private let draining = Atomic(false)

    /// Whether a stop has begun.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Begins the stop. Returns whether it had begun before.
    @discardableResult
    func drain() -> Bool { draining.exchange(true, ordering: .relaxed) }

    /// The longest slice of each loop since the last call of this.
    func takeLongestSlices() -> [(loop: String, slice: Duration)] {
        loops.withLock { $0 }.map { ($0.name, $0.takeLongestSlice()) }
    }

    var connectionCount: Int { listeners.withLock { $0.reduce(0) { $0 + $1.connectionCount } } }

    /// Releases the listeners and loops, which hold the server.
    func release() {
        listeners.withLock { $0 = [] }
        loops.withLock { $0 = [] }
    }
}
