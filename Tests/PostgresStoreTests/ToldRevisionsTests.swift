import JobKit
import JobStore
import Testing

@testable import PostgresStore

/// Three servers that change a few jobs in random order, as one of them tells it: its own commits once they are known,
/// those of others when it has looked, a part at a time.
private struct RandomFeed {
    private struct Commit {
        var job: Int
        var revision: Int64
    }

    /// The most rows of one look.
    static let rowsMax = 4
    static let jobs = 5

    private var state: UInt64
    private let isGuarded: Bool
    private var told = ToldRevisions()
    private var revisions = [Int64](repeating: 0, count: jobs)
    /// The commits of the others, and how many of them were read.
    private var others: [[Commit]] = [[], []]
    private var read = [0, 0]
    private var own: Commit?
    private var look: [Commit]?
    private var isWhole = false
    private(set) var heard = [Int64](repeating: 0, count: jobs)
    private(set) var disorders = 0

    init(seed: UInt64, isGuarded: Bool) {
        state = seed
        self.isGuarded = isGuarded
    }

    var newest: [Int64] { revisions }
    var remembered: Int { told.count }

    private mutating func roll(_ sides: Int) -> Int {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return Int(state >> 33) % sides
    }

    private mutating func commit() -> Commit {
        let job = roll(Self.jobs)
        revisions[job] += 1
        return Commit(job: job, revision: revisions[job])
    }

    private mutating func tell(_ commit: Commit) {
        let id = JobID(high: 1, low: UInt64(commit.job))
        var changes = [JobChange(id: id, state: .running, revision: commit.revision)]
        let isRoomy = told.note(&changes)
        #expect(isRoomy)
        if isGuarded && changes[0].isOutdated { return }
        if commit.revision < heard[commit.job] { disorders += 1 }
        heard[commit.job] = commit.revision
    }

    private mutating func beginLook() {
        told.beginLook()
        var found: [Commit] = []
        for server in others.indices {
            let rows = others[server][read[server]...].prefix(Self.rowsMax - found.count)
            found += rows
            read[server] += rows.count
        }
        isWhole = found.count < Self.rowsMax
        look = found
    }

    private mutating func goOnWithLook() {
        guard var left = look else { return beginLook() }
        if left.isEmpty {
            told.endLook(isWhole: isWhole)
            look = nil
        } else {
            tell(left.removeFirst())
            look = left
        }
    }

    private mutating func goOnWithOwn() {
        if let made = own.take() {
            tell(made)
            told.endCommit()
        } else {
            told.beginCommit()
            own = commit()
        }
    }

    mutating func run(_ steps: Int) {
        for _ in 0..<steps {
            switch roll(6) {
            case 0: goOnWithOwn()
            case 1, 2: others[roll(2)].append(commit())
            default: goOnWithLook()
            }
        }
        if own != nil { goOnWithOwn() }
        for _ in 0..<100_000 where look != nil || read != others.map(\.count) { goOnWithLook() }
        for _ in 0..<4 { goOnWithLook() }
    }
}

@Suite struct `The order in which a server tells of changes` {
    private let id = JobID(high: 1, low: 2)

    private func change(_ revision: Int64, _ state: JobState? = .running) -> JobChange {
        JobChange(id: id, state: state, revision: revision)
    }

    @Test func `never goes back, and ends with the highest revision of each job`() {
        var unguarded = 0
        for seed in 1...60 as ClosedRange<UInt64> {
            var feed = RandomFeed(seed: seed, isGuarded: true)
            feed.run(400)
            #expect(feed.disorders == 0, "seed \(seed)")
            #expect(feed.heard == feed.newest, "seed \(seed)")
            #expect(feed.remembered <= RandomFeed.jobs, "seed \(seed)")
            var control = RandomFeed(seed: seed, isGuarded: false)
            control.run(400)
            unguarded += control.disorders + (control.heard == control.newest ? 0 : 1)
        }
        #expect(unguarded > 60)
    }

    @Test func `has nothing behind an erasure, and keeps entries`() {
        var told = ToldRevisions()
        var changes = [change(5, nil)]
        _ = told.note(&changes)
        var entries = change(4)
        entries.hasOnlyEntries = true
        changes = [change(5, .failed), entries]
        _ = told.note(&changes)
        #expect(changes.map(\.isOutdated) == [true, false])
    }

    @Test func `is forgotten after a look that began later, but not while a commit is under way`() {
        var told = ToldRevisions()
        var changes = [change(2)]
        told.beginCommit()
        _ = told.note(&changes)
        told.beginLook()
        told.endLook(isWhole: true)
        #expect(told.count == 1)
        told.endCommit()
        told.beginLook()
        told.endLook(isWhole: false)
        #expect(told.count == 1)
        told.beginLook()
        told.endLook(isWhole: true)
        #expect(told.count == 0)
    }

    @Test func `is given up when too many jobs change before a look`() {
        var told = ToldRevisions(jobsMax: 3)
        var changes = (1...3).map { JobChange(id: JobID(high: 1, low: $0), state: .running, revision: 1) }
        _ = told.note(&changes)
        changes = [JobChange(id: JobID(high: 1, low: 9), state: .running, revision: 1)]
        let isRoomy = told.note(&changes)
        #expect(!isRoomy)
        #expect(told.count == 0)
    }
}
