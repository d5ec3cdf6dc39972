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
    let router: Router
    let store: any JobStore
    /// The threads for slow reads.
    let readers: ReaderPool
    let largeBodies: LargeBodies
    let gate: TokenGate
    let site: SiteGuard
    let page: PageSettings
    let proxies: TrustedProxies
    let pathPrefix: PathPrefix
    /// The minimum log level at which requests are logged.
    let requestLevel: LogLevel
    /// Notifies long polls of job changes.
    let watch: JobWatch
    let engine: any RunControl
    /// Reads the specs of new jobs.
    let intake: Intake
    let settings: StoredSettings
    /// Which refused requests are written down.
    let refusals = RefusalBook()
    let hookWaits = WaitPlaces()
    let hookRates = HookRates()
    /// Recently read jobs.
    let statusCache: StatusCache
    /// Journal indexes of recently read large jobs.
    let journals = JournalIndexCache()
    let rangeLooks = RangeLooks()
    let admission: Admission
    /// The memory of long answers that clients have not read yet.
    let answers = AnswerMemory()
    let metrics: Metrics
    /// Sends spans to a collector; nil without tracing.
    let traces: TraceExporter?
    let uploads = UploadPlaces()
    /// The bodies on their way to callback URLs.
    let reports = UploadPlaces()
    /// The content on its way, by tenant.
    let arrivals: ContentTally
    /// The URL at which others reach the server, for callback URLs; nil has none.
    let publicURL: String?
    /// The size of the largest upload.
    let uploadBytesMax: Int
    /// Holds tenants to their limits.
    let meter: TenantMeter
    let log: Log
    /// The changes of jobs, for event streams.
    let feed = ChangeFeed(life: String(SystemTime.now().milliseconds, radix: 36))
    /// The listeners, to count their connections.
    let listeners = Mutex<[HTTPListener]>([])
    /// The loops of requests and of the engine, to measure their turns.
    let loops = Mutex<[EventLoop]>([])
    /// Whether the process has run out of descriptors.
    let isOutOfDescriptors = Atomic(false)
    /// Whether other servers change the store, so that a request reads on a thread that may block.
    let readsElsewhere: Bool
    /// Whether a stop has begun.
    let isDraining = Atomic(false)

    init(
        router: Router, store: any JobStore, readers: ReaderPool, gate: TokenGate, site: SiteGuard,
        page: PageSettings, proxies: TrustedProxies, pathPrefix: PathPrefix,
        requestLevel: LogLevel, watch: JobWatch,
        engine: any RunControl,
        intake: Intake, settings: StoredSettings, admission: Admission,
        metrics: Metrics, traces: TraceExporter?, uploadBytesMax: Int, meter: TenantMeter, log: Log,
        publicURL: String? = nil
    ) {
        self.publicURL = publicURL
        self.router = router
        self.store = store
        readsElsewhere = store.isShared
        statusCache = StatusCache(keepsAnswers: !readsElsewhere)
        self.readers = readers
        largeBodies = LargeBodies(store)
        self.gate = gate
        self.site = site
        self.page = page
        self.proxies = proxies
        self.pathPrefix = pathPrefix
        self.requestLevel = requestLevel
        self.watch = watch
        self.engine = engine
        self.intake = intake
        self.settings = settings
        self.admission = admission
        self.metrics = metrics
        self.traces = traces
        self.uploadBytesMax = uploadBytesMax
        arrivals = ContentTally(meter)
        self.meter = meter
        self.log = log
    }

    /// The longest slice of each loop since the last call of this.
    func takeLongestSlices() -> [(loop: String, slice: Duration)] {
        loops.withLock { $0 }.map { ($0.name, $0.takeLongestSlice()) }
    }

    var connectionCount: Int { listeners.withLock { $0.reduce(0) { $0 + $1.connectionCount } } }

    /// The reads and writes of a tenant; nil has those of everything.
    /// - Parameter whole: reads of everything.
    func access(
        of tenant: Tenant?, _ whole: any JobReader
    ) -> (reader: any JobReader, store: any RequestStore) {
        guard let tenant else { return (whole, store) }
        return (
            TenantReader(whole, tenant),
            TenantStore(store.writing(for: tenant), tenant, reader: whole, meter: meter)
        )
    }
}
