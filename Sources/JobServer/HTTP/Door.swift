import EventIO
import HTTPMessage
import JobRunner
import JobSpec
import JobStore
import Synchronization

/// What all HTTP loops share.
final class Door: Sendable {
    /// The routes that are served.
    let router: Router
    /// What is known about jobs.
    let store: any JobStore
    /// Reads that take long.
    let readers: ReaderPool
    /// Who may come in.
    let gate: TokenGate
    /// Which web pages may come in.
    let site: SiteGuard
    /// Whose word on the client is taken.
    let proxies: TrustedProxies
    /// From which level on the log has a line for every request.
    let requestLevel: LogLevel
    /// Tells when a job changes.
    let watch: JobWatch
    /// Who runs the jobs.
    let engine: any JobEngine
    /// Who may be called by jobs.
    let egress: EgressPolicy
    /// The types of operations that are not built in.
    let kinds: OperationKinds
    /// Values that requests name.
    let secrets: StoredSecrets
    /// Named places that calls go to.
    let connections: StoredConnections
    /// The jobs that were read last.
    let statusCache = StatusCache()
    /// The indexes of the large jobs that were read last.
    let journals = JournalShelf()
    /// Whether new work is taken.
    let admission: Admission
    /// What is counted.
    let metrics: Metrics
    /// What is written down.
    let log: Log
    /// The listeners, for counting connections.
    let listeners = Mutex<[HTTPListener]>([])
    /// Whether there is no descriptor for a further connection.
    let isOutOfDescriptors = Atomic(false)
    /// Whether the server has begun to stop.
    let isDraining = Atomic(false)

    /// The shared part of a server.
    init(
        router: Router, store: any JobStore, readers: ReaderPool, gate: TokenGate, site: SiteGuard,
        proxies: TrustedProxies,
        requestLevel: LogLevel, watch: JobWatch,
        engine: any JobEngine,
        egress: EgressPolicy, kinds: OperationKinds, settings: StoredSettings, admission: Admission,
        metrics: Metrics, log: Log
    ) {
        self.router = router
        self.store = store
        self.readers = readers
        self.gate = gate
        self.site = site
        self.proxies = proxies
        self.requestLevel = requestLevel
        self.watch = watch
        self.engine = engine
        self.egress = egress
        self.kinds = kinds
        secrets = settings.secrets
        connections = settings.connections
        self.admission = admission
        self.metrics = metrics
        self.log = log
    }

    /// How many connections are open.
    var connectionCount: Int { listeners.withLock { $0.reduce(0) { $0 + $1.connectionCount } } }
}
