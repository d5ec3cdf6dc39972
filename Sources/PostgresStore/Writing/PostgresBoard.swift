import JobKit
import JobStore
import Synchronization

/// The state that the writer thread shares with all others.
final class PostgresBoard: Sendable {
    private struct Notices: Sendable {
        var counts = JobCounts()
        /// The last commit of each server that counts read later include.
        var counted: [String: Int64] = [:]
        /// The commits of this server since such a read began; nil while there is none.
        var made: [(server: String, number: Int64, counts: JobCounts)]?
        var observer: (@Sendable ([JobChange]) -> Void)?
        var gapObserver: (@Sendable () -> Void)?
        var requestObserver: (@Sendable ([RunRequest]) -> Void)?
        var messageObserver: (@Sendable ([ServerMessage]) -> Void)?
        var trouble: StoreCondition?
        var silence: StoreCondition?
        var damage: String?
        var conditionObserver: (@Sendable (StoreCondition) -> Void)?
        var arrivals: JobArrivals?
        var openingObserver: (@Sendable (Timestamp) -> Void)?
        /// The queues with lines, and those of which another server changed a job.
        var lines: Set<String> = []
        var awake: Set<String> = []
        /// The tenants of which another server made a job ready.
        var tenants: Set<Tenant> = []
        /// The jobs in flight that another server changed; nil when they are too many to keep.
        var changed: Set<JobID>? = []
        /// The first values that other servers stored.
        var firsts = ScanFirsts()
        var server = ""
        var settingsEpoch: Int64?
        /// Whether a commit of this server may have been made that was not published.
        var hasUntold = false
        var isClosed = false
        var hasEnded = false
        var waitingForEnd: [@Sendable () -> Void] = []
    }

    private let notices = Mutex(Notices())
    /// Held while the observer is called, so that it hears one thing at a time, in the order in which it was noted.
    private let telling = Mutex(ToldRevisions())

    /// The number of changes of settings that this server has heard of.
    let settingsVersion = Atomic<Int64>(0)

    /// The contact of the thread that asks for news all the time.
    let contact: DatabaseContact
    let lockedTables = LockedTables()

    init(counts: JobCounts, server: String, patience: Duration = PostgresOptions().patience) {
        contact = DatabaseContact(patience: patience)
        notices.withLock {
            $0.counts = counts
            $0.server = server
        }
    }

    /// The number of jobs by state, as far as this server has heard.
    var jobCounts: JobCounts { notices.withLock { $0.counts } }

    /// The name under which the server commits.
    var server: String {
        get { notices.withLock { $0.server } }
        set { notices.withLock { $0.server = newValue } }
    }

    /// The runner that takes new jobs as they are stored.
    var arrivals: JobArrivals? {
        get { notices.withLock { $0.arrivals } }
        set { notices.withLock { $0.arrivals = newValue } }
    }

    func observe(_ observer: @escaping @Sendable ([JobChange]) -> Void) {
        notices.withLock { $0.observer = observer }
    }

    func observeGaps(_ observer: @escaping @Sendable () -> Void) {
        notices.withLock { $0.gapObserver = observer }
    }

    func observeRequests(_ observer: @escaping @Sendable ([RunRequest]) -> Void) {
        notices.withLock { $0.requestObserver = observer }
    }

    func observeMessages(_ observer: @escaping @Sendable ([ServerMessage]) -> Void) {
        notices.withLock { $0.messageObserver = observer }
    }

    /// Tells of the messages in a commit of this server that concern its runs, too.
    func publish(grantsIn news: CommitNews) {
        let granted = news.messages.filter { $0.kind == .notice && $0.subject == ServerMessage.granted }
        if !granted.isEmpty { notices.withLock { $0.messageObserver }?(granted) }
    }

    private static let changedMax = 20_000

    /// Notes the jobs that another server changed and this one may run: also those that were taken from it.
    func noteChanged(in news: CommitNews) {
        let ids = news.changes.filter { $0.revision > 1 && $0.state?.isFinal != true }.map(\.id)
        if ids.isEmpty { return }
        notices.withLock { notices in
            notices.changed?.formUnion(ids)
            if notices.changed?.count ?? 0 > Self.changedMax { notices.changed = nil }
        }
    }

    /// The jobs that another server changed since the last call; nil for all.
    func takeChanged() -> Set<JobID>? {
        notices.withLock { notices in
            defer { notices.changed = [] }
            return notices.changed
        }
    }

    /// Tells of the requests and messages in a commit of another server.
    func publish(requestsIn news: CommitNews) {
        if !news.requests.isEmpty { notices.withLock { $0.requestObserver }?(news.requests) }
        if !news.messages.isEmpty { notices.withLock { $0.messageObserver }?(news.messages) }
    }

    /// Notes how often settings had been changed when a commit began, before its jobs run.
    func noteSettings(epoch: Int64) {
        let isNew = notices.withLock { notices in
            defer { notices.settingsEpoch = epoch }
            return notices.settingsEpoch.map { $0 != epoch } ?? true
        }
        if isNew { settingsVersion.wrappingAdd(1, ordering: .acquiringAndReleasing) }
    }

    /// Tells of a commit of another server.
    func publish(_ news: CommitNews) { publish(news) { $0.counts.add(news.counts) } }

    /// Tells of a commit of this server, which has this number under this name.
    func publish(_ news: CommitNews, from server: String, number: Int64) {
        publish(news) { notices in
            if number <= notices.counted[server] ?? -1 { return }
            notices.counts.add(news.counts)
            notices.made?.append((server: server, number: number, counts: news.counts))
        }
    }

    /// Replaces the counts by those that `read` finds, with the last commit of each server that they include. What this
    /// server commits meanwhile is counted once.
    /// - Returns: these last commits.
    func recount(
        _ read: () throws(PostgresFailure) -> (counts: JobCounts, last: [String: Int64])
    ) throws(PostgresFailure) -> [String: Int64] {
        notices.withLock { $0.made = [] }
        defer { notices.withLock { $0.made = nil } }
        let found = try read()
        notices.withLock { notices in
            notices.counts = found.counts
            for commit in notices.made ?? [] where commit.number > found.last[commit.server] ?? -1 {
                notices.counts.add(commit.counts)
            }
            notices.counted = found.last
        }
        return found.last
    }

    private func publish(_ news: CommitNews, counting: (inout Notices) -> Void) {
        if news.isEmpty { return }
        let observer = notices.withLock { notices in
            counting(&notices)
            return notices.observer
        }
        if news.changesSettings { settingsVersion.wrappingAdd(1, ordering: .acquiringAndReleasing) }
        guard let observer, !news.changes.isEmpty else { return }
        var changes = news.changes
        let isWhole = telling.withLock { told in
            let isWhole = told.note(&changes)
            observer(changes)
            return isWhole
        }
        if !isWhole { tellGap() }
    }

    /// Notes that a commit of this server may have been made that was not published.
    func noteUntold() { notices.withLock { $0.hasUntold = true } }

    /// Whether there was such a commit since the last call.
    func takeUntold() -> Bool {
        notices.withLock { notices in
            defer { notices.hasUntold = false }
            return notices.hasUntold
        }
    }

    /// Tells that changes may be missing.
    func tellGap() { notices.withLock { $0.gapObserver }?() }

    /// A commit of this server begins. `endCommit` follows when it was published, or was not made.
    func beginCommit() { telling.withLock { $0.beginCommit() } }

    func endCommit() { telling.withLock { $0.endCommit() } }

    /// A look at the commits of other servers begins.
    func beginLook() { telling.withLock { $0.beginLook() } }

    /// All that the look found was published.
    /// - Parameter isWhole: whether it found all that had been committed when it began.
    func endLook(isWhole: Bool) { telling.withLock { $0.endLook(isWhole: isWhole) } }

    // MARK: Queues

    func observeOpenings(_ observer: @escaping @Sendable (Timestamp) -> Void) {
        notices.withLock { $0.openingObserver = observer }
    }

    /// Tells of the time from which a job may begin that waits in a line.
    func tell(opening: Timestamp) { notices.withLock { $0.openingObserver }?(opening) }

    /// Follows the changes of these queues from now on.
    func follow(_ lines: [String]) {
        notices.withLock { notices in
            if lines.count != notices.lines.count || !lines.allSatisfy(notices.lines.contains) {
                notices.lines = Set(lines)
            }
        }
    }

    /// Notes that another server changed jobs, so that one of their queues may begin.
    func wakeLines(after news: CommitNews) {
        let observer = notices.withLock { notices -> (@Sendable (Timestamp) -> Void)? in
            if notices.lines.isEmpty { return nil }
            let changed = news.changes.lazy.map(\.queue).filter(notices.lines.contains)
            if changed.isEmpty { return nil }
            notices.awake.formUnion(changed)
            return notices.openingObserver
        }
        observer?(SystemClock().now)
    }

    /// Notes the tenants of which another server made a job ready.
    func noteTenants(in news: CommitNews) {
        var found: Set<Tenant> = []
        for change in news.changes where change.state == .queued || change.state == .cancelling {
            if let tenant = Tenant(ofStored: change.queue) { found.insert(tenant) }
        }
        if !found.isEmpty { notices.withLock { $0.tenants.formUnion(found) } }
    }

    /// The tenants of which another server made a job ready since the last call.
    func takeTenants() -> Set<Tenant> {
        notices.withLock { notices in
            defer { notices.tenants = [] }
            return notices.tenants
        }
    }

    /// Notes the first values of indexes that find work.
    func note(_ firsts: ScanFirsts) { notices.withLock { $0.firsts.merge(firsts) } }

    /// The first values since the last call.
    func takeFirsts() -> ScanFirsts {
        notices.withLock { notices in
            defer { notices.firsts = ScanFirsts() }
            return notices.firsts
        }
    }

    /// The queues of which another server changed a job since the last call.
    func takeAwake() -> Set<String> {
        notices.withLock { notices in
            defer { notices.awake = [] }
            return notices.awake
        }
    }

    // MARK: Condition

    var condition: StoreCondition { notices.withLock { Self.condition($0) } }

    private static func condition(_ notices: Notices) -> StoreCondition {
        notices.trouble ?? notices.silence ?? notices.damage.map { .damaged($0) } ?? .sound
    }

    /// Sets the temporary failure of writes; nil when it is over.
    func note(trouble: StoreCondition?) { change { $0.trouble = trouble } }

    /// Sets the failure of a database that does not answer the writer; nil when it does.
    func note(silence: StoreCondition?) { change { $0.silence = silence } }

    /// Records lasting damage. The first one found is kept.
    func note(damage: String) { change { $0.damage = $0.damage ?? damage } }

    func observeCondition(_ observer: @escaping @Sendable (StoreCondition) -> Void) {
        notices.withLock { $0.conditionObserver = observer }
    }

    private func change(_ body: (inout Notices) -> Void) {
        let (observer, new) = notices.withLock { notices in
            let old = Self.condition(notices)
            body(&notices)
            let new = Self.condition(notices)
            return (new == old ? nil : notices.conditionObserver, new)
        }
        observer?(new)
    }

    // MARK: The end

    var isClosed: Bool { notices.withLock { $0.isClosed } }

    func close() { notices.withLock { $0.isClosed = true } }

    /// Whether the writer has ended.
    var hasEnded: Bool { notices.withLock { $0.hasEnded } }

    /// Records the end of the writer, and notifies those waiting for it.
    func end() {
        let waiting = notices.withLock { notices in
            notices.hasEnded = true
            defer { notices.waitingForEnd = [] }
            return notices.waitingForEnd
        }
        for tell in waiting { tell() }
    }

    /// Calls `tell` when the writer has ended, at once if it has already.
    func whenEnded(_ tell: @escaping @Sendable () -> Void) {
        let isOver = notices.withLock { notices in
            if !notices.hasEnded { notices.waitingForEnd.append(tell) }
            return notices.hasEnded
        }
        if isOver { tell() }
    }
}
