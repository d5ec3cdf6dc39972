import JobKit
import JobStore
import MemoryStore

// DESIGN
// Servers share the disk as they share a PostgreSQL. Each commit leaves a row with the changes, the requests and the
// messages that it made, and each server reads the rows of the others, in their order, about every 50 ms: the DESIGN of
// `LandedTable` and of `CommitFollower`. A commit in doubt was made or not, which its server finds out when it has a
// connection again, or gives up: the DESIGN of `WriteLane`. A server that is stopped does nothing, but what it had
// already sent arrives.

/// One commit, as other servers read it.
struct LandedRow {
    var author: Int
    var changes: [JobChange]
    var news: MemoryJobStore.News
    var counts: [JobState: Int]
}

/// One life of a server among those that share the store.
// Safe because everything of a simulation happens on one thread.
final class SharedSide: @unchecked Sendable {
    static let feedMicroseconds: Int64 = 50_000
    static let retryMicroseconds: Int64 = 250_000
    /// The longest time that a commit in doubt is looked for. Shorter than a lease here, too.
    static let doubtMax: Int64 = 2_000_000

    let machine: Machine
    let number: Int
    let plant: PlantedFault?
    private let world: World
    private let disk: Disk
    /// The number of rows that were read.
    private var seen: Int
    private(set) var counts: [JobState: Int]
    /// Claims in commits in doubt that were given up.
    var unsureClaims: [ClaimKey] = []
    /// Whether the last try failed because there is no connection.
    var isInTrouble = false
    var arrivals: JobArrivals?
    /// The claims of the open group: those that were made as jobs were stored, and all.
    var arrived: [Claim] = []
    var arrivedNoted = 0
    var claims: [ClaimKey] = []
    /// The reads that have no answer yet.
    var reads: [Int: () -> Void] = [:]
    var readNumber = 0
    /// The limits of the queue as the server knows them, once it has read them.
    var limits: SettingRecord??
    /// Whether the server has recovered jobs at its start.
    var hasRecovered = false
    var requestObserver: (@Sendable ([RunRequest]) -> Void)?
    var messageObserver: (@Sendable ([ServerMessage]) -> Void)?

    init(machine: Machine, plant: PlantedFault?, world: World, disk: Disk) {
        self.machine = machine
        self.plant = plant
        self.world = world
        self.disk = disk
        number = disk.nextAuthor()
        seen = disk.landed.count
        counts = disk.truth.counts()
    }

    /// The rows of others since the last call.
    func takeRows() -> [LandedRow] {
        defer { seen = disk.landed.count }
        return disk.landed[seen...].filter { $0.author != number }
    }

    func add(_ difference: [JobState: Int]) {
        for (state, count) in difference { counts[state, default: 0] += count }
    }

    /// Ends the reads of a dead server.
    func failReads() {
        let open = reads
        reads = [:]
        for number in open.keys.sorted() { open[number]?() }
    }
}
