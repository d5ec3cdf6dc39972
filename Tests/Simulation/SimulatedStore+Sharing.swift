import JobKit
import JobSpec
import JobStore
import MemoryStore

/// The store as servers see it that share it: leases, news of others, and commits in doubt.
extension SimulatedStore: SharedStore {
    var shared: (any SharedStore)? { side == nil ? nil : self }

    func counts() -> [JobState: Int] { side?.counts ?? disk.truth.counts() }

    func observeRequests(_ observer: @escaping @Sendable ([RunRequest]) -> Void) {
        side?.requestObserver = observer
    }

    /// Never called: a life hears of all commits.
    func observeGaps(_ observer: @escaping @Sendable () -> Void) {}

    func observeMessages(_ observer: @escaping @Sendable ([ServerMessage]) -> Void) {
        side?.messageObserver = observer
    }

    func takeArrivals(_ arrivals: JobArrivals?) { side?.arrivals = arrivals }

    // MARK: Writes

    /// Leases follow the clock of the store.
    private func clock(_ now: Timestamp) -> Timestamp { side == nil ? now : world.now }

    func renew(_ owner: OwnerID, now: Timestamp, lease: Duration, reply: @escaping StoreReply<Void>) {
        write("renew", reply) { [self] in $0.renew(owner, now: clock(now), lease: lease, reply: $1) }
    }

    func recover(besides survivor: OwnerID?, now: Timestamp, reply: @escaping StoreReply<Int>) {
        let watcher = disk.watcher
        let isFirst = side.map { !$0.hasRecovered } ?? false
        write("recover", reply) { [self] store, reply in
            watcher?.recovers(true)
            defer { watcher?.recovers(false) }
            if isFirst, side?.plant == .recoverEverybody {
                store.recoverEverybody(besides: survivor, now: clock(now), reply: reply)
            } else {
                store.recover(besides: survivor, now: clock(now), reply: reply)
            }
        } noted: { [side] _ in
            side?.hasRecovered = true
        }
    }

    func end(_ owner: OwnerID, now: Timestamp, reply: @escaping StoreReply<Int>) {
        write("end", reply) { [self] in $0.end(owner, now: clock(now), reply: $1) }
    }

    func perform<Asked: SharedWrite>(_ asked: Asked, reply: @escaping StoreReply<Asked.Reply>) {
        write("\(Asked.self)", of: asked.needs.claims.first, reply) { $0.perform(asked, reply: $1) }
    }

    // MARK: Commits

    func commit(with side: SharedSide) {
        guard !isDead else { return }
        let machine = side.machine
        if machine.isStopped, world.dice.hits(50) {
            return machine.whenRunning { [weak self] in self?.commit(with: side) }
        }
        let group = takeGroup()
        let isInDoubt = faults.isInDoubt(at: world.time)
        if !machine.isConnected || side.isInTrouble {
            // The connection may have broken in the middle of a commit.
            if side.isInTrouble || !isInDoubt && world.dice.hits(60) { return refuse(group, side) }
            return resolve(group, side)
        }
        if isInDoubt { return resolve(group, side) }
        let landing = land(side) { perform(group) }
        reply(landing, side)
    }

    /// A commit, and what only its server is told.
    struct Landing {
        var row: LandedRow
        var opening: Timestamp?
        var arrived: [Claim]
        var arrivals: JobArrivals?
        var claims: [ClaimKey]
    }

    /// Makes a group durable.
    func land(_ side: SharedSide, _ body: () -> Void) -> Landing {
        let before = disk.truth.counts()
        (side.arrived, side.arrivedNoted, side.claims) = ([], 0, [])
        let arrivals = side.arrivals
        disk.truth.takeArrivals(arrivals.map { collect($0, side) })
        withKnownLimits(side, body)
        disk.truth.takeArrivals(nil)
        let row = LandedRow(
            author: side.number, changes: disk.takeChanges(), news: disk.truth.takeNews(),
            counts: disk.truth.counts().merging(before.mapValues { -$0 }, uniquingKeysWith: +))
        disk.landed.append(row)
        return Landing(
            row: row, opening: disk.takeOpening(), arrived: side.arrived, arrivals: arrivals,
            claims: side.claims)
    }

    private func collect(_ arrivals: JobArrivals, _ side: SharedSide) -> JobArrivals {
        JobArrivals(owner: arrivals.owner, room: arrivals.room, now: arrivals.now) { claims in
            side.arrived += claims
        }
    }

    /// Tells of the claims that a write has made besides.
    func noteArrivals() {
        guard let side, let owner = side.arrivals?.owner else { return }
        let fresh = side.arrived.dropFirst(side.arrivedNoted)
        side.arrivedNoted = side.arrived.count
        side.claims += fresh.map(\.key)
        if !fresh.isEmpty { disk.watcher?.claimed(Array(fresh), by: owner) }
    }

    /// Decides by the limits of queues that the server knows: those that are stored, unless a fault is planted.
    private func withKnownLimits(_ side: SharedSide, _ body: () -> Void) {
        guard side.plant == .staleCache else { return body() }
        if side.limits == nil {
            side.limits = .some(storedLimits)
        }
        disk.truth.useLimits(side.limits.flatMap { $0.flatMap { QueueSpec($0) } }, of: NarrowQueue.name)
        body()
        disk.truth.useLimits(storedLimits.flatMap { QueueSpec($0) }, of: NarrowQueue.name)
    }

    private var storedLimits: SettingRecord? {
        try? disk.truth.makeReader().settings(.queue).first { $0.name == NarrowQueue.name }
    }

    private func reply(_ landing: Landing, _ side: SharedSide) {
        world.after(Int64(world.dice.below(200))) { [weak self] in
            side.machine.whenRunning { self?.publish(landing, side) }
        }
    }

    private func publish(_ landing: Landing, _ side: SharedSide) {
        guard !isDead else { return }
        side.add(landing.row.counts)
        if !landing.row.changes.isEmpty { observer?(landing.row.changes) }
        let granted = landing.row.news.messages.filter {
            $0.kind == .notice && $0.subject == ServerMessage.granted
        }
        if !granted.isEmpty { side.messageObserver?(granted) }
        if !landing.arrived.isEmpty { landing.arrivals?.handOver(landing.arrived) }
        if let opening = landing.opening { openingObserver?(opening) }
        answer()
    }

    // MARK: Trouble

    /// Refuses a group that was not made durable, since there is no connection.
    private func refuse(_ group: [Write], _ side: SharedSide) {
        limbo = group
        if !side.isInTrouble {
            side.isInTrouble = true
            tryAgain(side)
        }
        world.after(Int64(world.dice.below(300))) { [weak self] in
            side.machine.whenRunning { self?.refuseLimbo() }
        }
    }

    private func refuseLimbo() {
        guard !isDead else { return }
        let lost = limbo
        limbo = []
        for write in lost { write.refuse(Self.unavailable) }
        isBusy = false
        begin()
    }

    private static let unavailable = JobStoreError(.unavailable, "The database does not answer.")

    /// Takes writes again when there is a connection, and undoes claims that no run knows of.
    private func tryAgain(_ side: SharedSide) {
        world.after(SharedSide.retryMicroseconds) { [weak self] in
            side.machine.whenRunning {
                guard let self, !self.isDead else { return }
                guard side.machine.isConnected, !self.isBusy else { return self.tryAgain(side) }
                self.undoUnsureClaims(side)
                side.isInTrouble = false
            }
        }
    }

    private func undoUnsureClaims(_ side: SharedSide) {
        guard !side.unsureClaims.isEmpty else { return }
        let claims = side.unsureClaims
        side.unsureClaims = []
        let landing = land(side) { disk.truth.putBack(claims, at: side.machine.now) { _ in } }
        world.note(13, claims.count, 0, "\(tag)claims in doubt are undone")
        side.add(landing.row.counts)
        observer?(landing.row.changes)
    }

    /// The connection broke when a group was made durable: it was or it was not.
    private func resolve(_ group: [Write], _ side: SharedSide) {
        faults.noteDoubt(at: world.time)
        let landing = world.dice.hits(50) ? land(side) { perform(group) } : nil
        world.note(14, landing == nil ? 0 : 1, 0, "\(tag)a commit is in doubt")
        if landing == nil { limbo = group }
        resolve(landing, side, since: world.time)
    }

    private func resolve(_ landing: Landing?, _ side: SharedSide, since: Int64) {
        world.after(Int64(world.dice.among(1_000...60_000))) { [weak self] in
            side.machine.whenRunning {
                guard let self, !self.isDead else { return }
                if side.machine.isConnected { return self.resolved(landing, side) }
                if self.world.time - since < SharedSide.doubtMax {
                    return self.resolve(landing, side, since: since)
                }
                self.giveUp(landing, side)
            }
        }
    }

    private func resolved(_ landing: Landing?, _ side: SharedSide) {
        if let landing { return publish(landing, side) }
        queue = limbo + queue
        limbo = []
        isBusy = false
        begin()
    }

    private func giveUp(_ landing: Landing?, _ side: SharedSide) {
        world.note(15, 0, 0, "\(tag)a commit stays in doubt")
        let group = refused.map(\.write) + untold + limbo
        (refused, untold, limbo) = ([], [], [])
        side.unsureClaims += group.compactMap(\.claim) + (landing?.claims ?? [])
        for claim in landing?.arrived ?? [] { landing?.arrivals?.room.giveBack(of: claim.record.tenant) }
        if !side.isInTrouble {
            side.isInTrouble = true
            tryAgain(side)
        }
        // The journal of a run may have what it has just sent: another run goes on from there.
        for write in group { write.refuse(write.claim.map { .staleClaim($0) } ?? Self.inDoubt) }
        isBusy = false
        begin()
    }

    static let inDoubt = JobStoreError(.unavailable, "The change may or may not have been made.")

    // MARK: What others commit

    /// Reads what others committed, again and again.
    func follow(_ side: SharedSide) {
        let pause = SharedSide.feedMicroseconds + faults.feedDelay(at: world.time)
        world.after(pause) { [weak self] in
            side.machine.whenRunning {
                guard let self, !self.isDead else { return }
                if side.machine.isConnected { for row in side.takeRows() { self.hear(row, side) } }
                self.follow(side)
            }
        }
    }

    private func hear(_ row: LandedRow, _ side: SharedSide) {
        side.add(row.counts)
        if !row.changes.isEmpty { observer?(row.changes) }
        var requests = row.news.requests
        if side.plant == .lostCancellation {
            requests.removeAll { if case .cancelRequested = $0.journal.event { true } else { false } }
        }
        if !requests.isEmpty { side.requestObserver?(requests) }
        if !row.news.messages.isEmpty { side.messageObserver?(row.news.messages) }
        if row.changes.contains(where: { $0.queue == NarrowQueue.name }) {
            openingObserver?(side.machine.now)
        }
    }

    // MARK: Reads

    func read<Value: Sendable>(
        _ body: @escaping @Sendable (any JobReader) throws(JobStoreError) -> Value
    ) async throws(JobStoreError) -> Value {
        guard let side else { return try await disk.truth.read(body) }
        if isDead { throw Self.gone }
        return try await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Value, JobStoreError>, Never>) in
            side.readNumber += 1
            let number = side.readNumber
            side.reads[number] = { continuation.resume(returning: .failure(Self.gone)) }
            world.after(Int64(world.dice.among(50...2_000))) { [weak self] in
                side.machine.whenRunning {
                    guard let self, !self.isDead else { return }
                    let answer = self.answer(to: body, side)
                    self.world.after(Int64(self.world.dice.below(3_000))) {
                        side.machine.whenRunning {
                            if side.reads.removeValue(forKey: number) != nil {
                                continuation.resume(returning: answer)
                            }
                        }
                    }
                }
            }
        }.get()
    }

    private func answer<Value>(
        to body: (any JobReader) throws(JobStoreError) -> Value, _ side: SharedSide
    ) -> Result<Value, JobStoreError> {
        guard side.machine.isConnected else { return .failure(Self.unavailable) }
        return Result { () throws(JobStoreError) in try body(disk.truth.makeReader()) }
    }
}
