import JobKit
import JobStore
import MemoryStore

/// The state that outlives every crash, and its observer.
// Safe because everything of a simulation happens on one thread.
final class Disk: @unchecked Sendable {
    /// The durable state.
    let truth: MemoryJobStore
    /// Sees every write that reaches the disk.
    private(set) var watcher: (any DiskWatcher)?
    private var changes: [JobChange] = []
    private var opening: Timestamp?
    /// The commits of servers that share the disk, in order.
    var landed: [LandedRow] = []
    private var authors = 0

    init(clock: any OperationClock, isShared: Bool) {
        truth = MemoryJobStore(clock: clock, isShared: isShared)
        truth.observeCommits { [weak self] changes in
            self?.changes += changes
            self?.watcher?.changed(changes)
        }
        truth.observeOpenings { [weak self] in self?.opening = $0 }
    }

    /// The number of the next life of a server that shares the disk.
    func nextAuthor() -> Int {
        authors += 1
        return authors
    }

    func watch(_ watcher: any DiskWatcher) { self.watcher = watcher }

    /// The changes since the last call.
    func takeChanges() -> [JobChange] {
        defer { changes = [] }
        return changes
    }

    /// The time from which a job in a line may begin, if that became known since the last call.
    func takeOpening() -> Timestamp? {
        defer { opening = nil }
        return opening
    }

    /// Releases everything.
    func end() {
        truth.observeCommits { _ in }
        truth.observeOpenings { _ in }
        watcher = nil
    }
}

/// Observes writes at the moment at which they reach the disk.
protocol DiskWatcher: AnyObject, Sendable {
    /// Jobs changed.
    func changed(_ changes: [JobChange])
    /// Jobs were claimed.
    func claimed(_ claims: [Claim], by owner: OwnerID)
    /// The next changes are those of a recovery, or its end.
    func recovers(_ isOn: Bool)
    /// An update of a run was stored.
    func updated(_ update: RunUpdate)
    /// The next change may take a job out of a final state.
    func mayLeaveFinal(_ id: JobID)
    /// A job was retried.
    func retried(_ id: JobID)
}

/// The schedule of refused writes.
// Safe because everything of a simulation happens on one thread.
final class StoreFaults: @unchecked Sendable {
    /// Periods in microseconds in which every write is refused, with the code.
    private let outages: [(ClosedRange<Int64>, JobStoreError.Code)]
    /// The number of refused writes per thousand.
    private let refusalsInThousand: Int
    /// The time after which nothing is refused.
    private let endsAt: Int64
    private let doubtsInThousand: Int
    private let delaysInThousand: Int
    private var dice: Dice
    /// The number of refused writes.
    private(set) var count = 0
    /// The time of the last write that was refused, or slow.
    private(set) var lastAt: Int64 = -1

    init(dice: Dice, endsAt: Int64, isOff: Bool, isShared: Bool) {
        var dice = dice
        self.endsAt = endsAt
        refusalsInThousand = isOff ? 0 : dice.pick([0, 0, 5, 20, 60])
        doubtsInThousand = isOff || !isShared ? 0 : dice.pick([0, 2, 10, 30])
        delaysInThousand = isOff || !isShared ? 0 : dice.pick([0, 0, 1, 5])
        var outages: [(ClosedRange<Int64>, JobStoreError.Code)] = []
        for _ in 0..<(isOff ? 0 : dice.pick([0, 0, 1, 2])) {
            let begin = Int64(dice.below(Int(endsAt)))
            let length = Int64(dice.pick([2_000, 50_000, 900_000, 5_000_000]))
            outages.append((begin...(begin + length), dice.pick([.unavailable, .diskFull])))
        }
        self.outages = outages
        self.dice = dice
    }

    /// The error of a write at this time; nil when it succeeds.
    func strike(at time: Int64) -> JobStoreError? {
        guard time < endsAt else { return nil }
        let code =
            outages.first { $0.0.contains(time) }?.1
            ?? (dice.below(1_000) < refusalsInThousand ? .unavailable : nil)
        guard let code else { return nil }
        count += 1
        lastAt = max(lastAt, time)
        return JobStoreError(code, "The disk does not take this.")
    }

    /// Whether the next commit has no answer.
    func isInDoubt(at time: Int64) -> Bool {
        doubtsInThousand > 0 && time < endsAt && dice.below(1_000) < doubtsInThousand
    }

    func noteDoubt(at time: Int64) {
        count += 1
        lastAt = max(lastAt, time)
    }

    /// The time by which a look at the commits of others comes too late.
    func feedDelay(at time: Int64) -> Int64 {
        guard delaysInThousand > 0, time < endsAt, dice.below(1_000) < delaysInThousand else {
            return Int64(dice.below(5_000))
        }
        let delay = Int64(dice.among(200_000...3_000_000))
        lastAt = max(lastAt, time + delay)
        return delay
    }

    /// The time until the next group is durable.
    func syncMicroseconds() -> Int64 {
        switch dice.below(100) {
        case 0..<60: Int64(dice.among(60...400))
        case 60..<95: Int64(dice.among(400...5_000))
        case 95..<99: Int64(dice.among(5_000...60_000))
        default: Int64(dice.among(60_000...400_000))
        }
    }
}
