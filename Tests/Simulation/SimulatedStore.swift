import JobKit
import JobStore
import MemoryStore

// DESIGN
// One life of the server sees the disk through this store, as it would see SQLite: writes gather in a queue, a group of
// them becomes durable at once, a little later the commit is reported and then each reply comes, all interleaved with
// the work of the loop. The dice refuse single writes and whole periods. A crash loses the queue, except for a prefix
// that may just have reached the disk; no reply comes. With several servers it is their PostgreSQL: see `SharedSide`.

/// The store as one life of the server sees it.
// Safe because everything of a simulation happens on one thread.
final class SimulatedStore: @unchecked Sendable {
    /// A write in progress.
    struct Write {
        let name: String
        /// The claim of the run that writes; nil for others.
        var claim: ClaimKey?
        /// Changes the disk.
        let perform: () -> Void
        /// Delivers the outcome.
        let deliver: () -> Void
        /// Reports that nothing was changed.
        let refuse: (JobStoreError) -> Void
    }

    let world: World
    let disk: Disk
    let faults: StoreFaults
    /// The state of a store with several servers; nil for the only one.
    let side: SharedSide?
    var queue: [Write] = []
    /// Durable writes without a reply yet.
    var untold: [Write] = []
    /// Refused writes without a reply yet.
    var refused: [(write: Write, error: JobStoreError)] = []
    /// Writes whose group was not made durable, without a reply yet.
    var limbo: [Write] = []
    var isBusy = false
    private(set) var isDead = false
    private(set) var observer: (@Sendable ([JobChange]) -> Void)?
    private(set) var openingObserver: (@Sendable (Timestamp) -> Void)?

    init(world: World, disk: Disk, faults: StoreFaults, side: SharedSide?) {
        self.world = world
        self.disk = disk
        self.faults = faults
        self.side = side
        if let side { follow(side) }
    }

    /// Whether every write has its reply.
    var isIdle: Bool { queue.isEmpty && refused.isEmpty && untold.isEmpty && limbo.isEmpty && !isBusy }

    /// Ends this life, `reached` writes after those known to be on the disk. Waiting callers are told that nothing was
    /// done, which has no effect any more.
    func die(reached: Int) {
        isDead = true
        observer = nil
        openingObserver = nil
        let last = Array(queue.prefix(reached))
        queue.removeFirst(last.count)
        if let side {
            if !last.isEmpty { _ = land(side) { perform(last, mayRefuse: false) } }
        } else {
            perform(last, mayRefuse: false)
        }
        let lost = refused.map(\.write) + untold + limbo + queue
        (refused, untold, limbo, queue) = ([], [], [], [])
        for write in lost { write.refuse(SimulatedStore.gone) }
        side?.failReads()
    }

    static let gone = JobStoreError(.staleClaim, "The server is gone.")

    // MARK: Groups

    /// - Parameter noted: called on the disk's side with the written value.
    func write<Value: Sendable>(
        _ name: String, of claim: ClaimKey? = nil,
        _ reply: @escaping StoreReply<Value>,
        _ body:
            @escaping (MemoryJobStore, @escaping StoreReply<Value>) -> Void,
        noted: ((Value) -> Void)? = nil
    ) {
        if isDead { return reply(.failure(SimulatedStore.gone)) }
        let outcome = Outcome<Value>()
        let disk = disk
        queue.append(
            Write(
                name: name, claim: claim,
                perform: {
                    body(disk.truth) { outcome.result = $0 }
                    if case .success(let value)? = outcome.result { noted?(value) }
                },
                deliver: { if let result = outcome.result { reply(result) } },
                refuse: { reply(.failure($0)) }))
        begin()
    }

    func begin() {
        guard !isBusy, !queue.isEmpty else { return }
        isBusy = true
        world.after(faults.syncMicroseconds()) { [weak self] in
            guard let self, !isDead else { return }
            if let side { commit(with: side) } else { commit() }
        }
    }

    private func commit() {
        perform(takeGroup())
        let changes = disk.takeChanges()
        world.after(Int64(world.dice.below(200))) { [weak self] in self?.publish(changes) }
    }

    /// The writes that become durable together.
    func takeGroup() -> [Write] {
        let count = world.dice.hits(80) ? queue.count : world.dice.among(1...queue.count)
        defer { queue.removeFirst(count) }
        return Array(queue.prefix(count))
    }

    func perform(_ group: [Write], mayRefuse: Bool = true) {
        for write in group {
            if mayRefuse, let error = faults.strike(at: world.time) {
                world.note(1, 0, 0, "\(tag)store refuses \(write.name): \(error.code)")
                refused.append((write, error))
            } else {
                write.perform()
                noteArrivals()
                world.note(2, 0, 0, "\(tag)store has \(write.name)")
                untold.append(write)
            }
        }
    }

    var tag: String { side?.machine.tag ?? "" }

    private func publish(_ changes: [JobChange]) {
        guard !isDead else { return }
        if !changes.isEmpty { observer?(changes) }
        if let opening = disk.takeOpening() { openingObserver?(opening) }
        answer()
    }

    /// Delivers the replies of the group.
    func answer() {
        let refused = refused
        self.refused = []
        for (write, error) in refused { write.refuse(error) }
        tellNext()
    }

    private func tellNext() {
        guard !isDead else { return }
        if let machine = side?.machine, machine.isStopped {
            return machine.whenRunning { [weak self] in self?.tellNext() }
        }
        guard !untold.isEmpty else {
            isBusy = false
            return begin()
        }
        untold.removeFirst().deliver()
        world.after(Int64(world.dice.below(20))) { [weak self] in self?.tellNext() }
    }

    func observeOpenings(_ observer: @escaping @Sendable (Timestamp) -> Void) { openingObserver = observer }

    func observeCommits(
        expecting: @escaping @Sendable ([JobChange]) -> Void,
        _ observer: @escaping @Sendable ([JobChange]) -> Void
    ) { self.observer = observer }
}

/// The outcome of a write.
// Safe because everything of a simulation happens on one thread.
private final class Outcome<Value: Sendable>: @unchecked Sendable {
    var result: Result<Value, JobStoreError>?
}
