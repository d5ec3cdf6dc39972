import JobKit
import JobStore
import MemoryStore

/// What outlives every crash, and whoever watches what is written.
// Safe because everything of a simulation happens on one thread.
final class Disk: @unchecked Sendable {
    /// What is durable.
    let truth: MemoryJobStore
    /// Sees every write that reaches the disk.
    private(set) var watcher: (any DiskWatcher)?
    private var changes: [JobChange] = []

    init(clock: any AOperationClock) {
        truth = MemoryJobStore(clock: clock)
        truth.observeCommits { [weak self] changes in
            self?.changes += changes
            self?.watcher?.changed(changes)
        }
    }

    func watch(_ watcher: any DiskWatcher) { self.watcher = watcher }

    /// What was changed since the last call.
    func takeChanges() -> [JobChange] {
        defer { changes = [] }
        return changes
    }

    /// Lets go of everything.
    func end() {
        truth.observeCommits { _ in }
        watcher = nil
    }
}

/// Sees what reaches the disk, at the moment at which it does.
protocol DiskWatcher: AnyObject, Sendable {
    /// Jobs changed.
    func changed(_ changes: [JobChange])
    /// Jobs were claimed.
    func claimed(_ claims: [Claim])
    /// A run's word was taken.
    func updated(_ update: RunUpdate)
    /// The next change may take a job out of a final state.
    func mayLeaveFinal(_ id: JobID)
    /// A job was given another try.
    func retried(_ id: JobID)
}

/// When the store refuses what it is asked.
// Safe because everything of a simulation happens on one thread.
final class StoreFaults: @unchecked Sendable {
    /// Stretches of microseconds in which every write is refused, with the code.
    private let outages: [(ClosedRange<Int64>, JobStoreError.Code)]
    /// Of a thousand writes so many are refused.
    private let refusalsInThousand: Int
    /// Until when anything is refused.
    private let endsAt: Int64
    private var dice: Dice
    /// How many writes were refused.
    private(set) var count = 0
    /// When the last write was refused, or took long.
    private(set) var lastAt: Int64 = -1

    init(dice: Dice, endsAt: Int64, isOff: Bool) {
        var dice = dice
        self.endsAt = endsAt
        refusalsInThousand = isOff ? 0 : dice.pick([0, 0, 5, 20, 60])
        var outages: [(ClosedRange<Int64>, JobStoreError.Code)] = []
        for _ in 0..<(isOff ? 0 : dice.pick([0, 0, 1, 2])) {
            let begin = Int64(dice.below(Int(endsAt)))
            let length = Int64(dice.pick([2_000, 50_000, 900_000, 5_000_000]))
            outages.append((begin...(begin + length), dice.pick([.unavailable, .diskFull])))
        }
        self.outages = outages
        self.dice = dice
    }

    /// Why a write is refused now; nil when it is not.
    func strike(at time: Int64) -> JobStoreError? {
        guard time < endsAt else { return nil }
        let code =
            outages.first { $0.0.contains(time) }?.1
            ?? (dice.below(1_000) < refusalsInThousand ? .unavailable : nil)
        guard let code else { return nil }
        count += 1
        lastAt = time
        return JobStoreError(code, "The disk does not take this.")
    }

    /// How long the next group takes until it is durable.
    func syncMicroseconds() -> Int64 {
        switch dice.below(100) {
        case 0..<60: Int64(dice.among(60...400))
        case 60..<95: Int64(dice.among(400...5_000))
        case 95..<99: Int64(dice.among(5_000...60_000))
        default: Int64(dice.among(60_000...400_000))
        }
    }
}
