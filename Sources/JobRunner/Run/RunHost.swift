internal import JobKit
internal import JobSpec
internal import JobStore

/// The environment that all runs share. Large, and therefore made once.
final class RunEnvironment: Sendable {
    let store: any RunStore & StoreReading & StoreWriting
    let loop: any EngineLoop
    let settings: RunnerSettings
    let environment: OperationEnvironment
    let services: CallServices
    let tenants: TenantServices
    let progress: ProgressBoard
    let lease: LeaseWatch

    init(
        store: any RunStore & StoreReading & StoreWriting, loop: any EngineLoop, settings: RunnerSettings,
        environment: OperationEnvironment, services: CallServices, tenants: TenantServices,
        progress: ProgressBoard, lease: LeaseWatch
    ) {
        self.store = store
        self.loop = loop
        self.settings = settings
        self.environment = environment
        self.services = services
        self.tenants = tenants
        self.progress = progress
        self.lease = lease
    }
}

/// The environment that all runs share, and the callbacks to their owner.
final class RunHost: Sendable {
    private let shared: RunEnvironment
    var store: any RunStore & StoreReading & StoreWriting { shared.store }
    var loop: any EngineLoop { shared.loop }
    var settings: RunnerSettings { shared.settings }
    var environment: OperationEnvironment { shared.environment }
    var services: CallServices { shared.services }
    var tenants: TenantServices { shared.tenants }
    var progress: ProgressBoard { shared.progress }
    /// The lease of the server.
    var lease: LeaseWatch { shared.lease }
    /// The run of a job; nil when it is over.
    let run: @Sendable (JobID) -> JobRun?
    /// Reports that a run's work has ended; its last update may still wait for the store.
    let leaving: @Sendable (JobRun) -> Void
    /// The slots of the runs.
    let slots: RunSlots
    /// Reports that a run gave its slot away while it waits: true; or has that no more: false.
    let lent: @Sendable (Bool) -> Void
    /// Reports that a run is over.
    let over: @Sendable (JobRun, RunUpdate.Standing?) -> Void
    /// Reports that the store refused something.
    let trouble: @Sendable (EngineTrouble) -> Void
    /// Whether the server must not wait any longer for updates that the store refuses.
    let isGivingUp: @Sendable () -> Bool

    init(
        in shared: RunEnvironment,
        run: @escaping @Sendable (JobID) -> JobRun?, leaving: @escaping @Sendable (JobRun) -> Void,
        slots: RunSlots, lent: @escaping @Sendable (Bool) -> Void,
        over: @escaping @Sendable (JobRun, RunUpdate.Standing?) -> Void,
        trouble: @escaping @Sendable (EngineTrouble) -> Void,
        isGivingUp: @escaping @Sendable () -> Bool
    ) {
        self.shared = shared
        self.run = run
        self.leaving = leaving
        self.slots = slots
        self.lent = lent
        self.over = over
        self.trouble = trouble
        self.isGivingUp = isGivingUp
    }

    /// The store for the writes of a job.
    /// - Parameter tenant: whose job it is.
    func store(of tenant: Tenant?) -> any RunStore & StoreReading & StoreWriting {
        guard let tenant else { return store }
        return tenants.store(of: tenant)
    }

    /// Ends the run of a claim whose journal the store has refused for good. From any thread.
    func lost(_ key: ClaimKey, _ error: JobStoreError) {
        loop.execute { [self] in
            guard let run = run(key.id), run.claim.key == key else { return }
            run.lost(error)
        }
    }

    /// Ends the run of a claim that is over, without a word to the store. From any thread.
    func dropped(_ key: ClaimKey, _ error: JobStoreError) {
        loop.execute { [self] in
            guard let run = run(key.id), run.claim.key == key else { return }
            trouble(EngineTrouble(detail: error.detail, id: key.id))
            run.drop()
        }
    }

    /// Stores the last update of a claim, and retries until the store takes it or the server must not wait any longer:
    /// a job without it would be shown as running for as long as the server runs. A permanent refusal is reported once,
    /// a stale claim not at all.
    /// - Parameters:
    ///   - store: the one for the writes of the job.
    ///   - then: told whether the update is stored. On any thread.
    func storeLast(
        _ update: RunUpdate, in store: any RunStore, retryingAfter pause: Duration? = nil,
        then: @escaping @Sendable (Bool) -> Void
    ) {
        let (first, rest) = update.pieces
        store.update(first) { [self] reply in
            guard case .failure(let error) = reply else {
                guard let rest else { return then(true) }
                return storeLast(rest, in: store, then: then)
            }
            if error.code == .staleClaim || error.code == .missing(.job) { return then(false) }
            let isGivingUp = isGivingUp()
            if isGivingUp || (!error.isRetryable && pause == nil) {
                trouble(EngineTrouble(detail: error.detail, id: update.claim.id))
            }
            if isGivingUp { return then(false) }
            later(pause ?? settings.times.storeRetry) { [self] in
                storeLast(update, in: store, retryingAfter: settings.times.storeRetry * 2, then: then)
            }
        }
    }

    /// Calls `body` after a pause.
    func later(_ pause: Duration, _ body: @escaping @Sendable () -> Void) {
        Task(executorPreference: loop) { [self] in
            try? await environment.clock.sleep(for: pause)
            body()
        }
    }
}
