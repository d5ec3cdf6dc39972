import JobKit
internal import JobSpec
import JobStore
import StoreThreads
import Synchronization

// DESIGN
// A read of one tenant may take a hundred times as long as that of another. So all threads take from one line, in which
// tenants take turns, and a tenant has all threads but one at most: the read of another waits for the end of no long
// one.
//
// The reads of a tenant that has used much time lately go to threads of their own, which leave nine tenths of a
// processor to the others: where the processors are busy, such reads would take the time in which the engine and the
// loops serve all. A thread cannot take back what it left to others, so there are two lines.
//
// The threads are its own: an overloaded machine has the dispatch queues make new ones, dozens, each with a stack and a
// part of the heap, while those that they have are not scheduled yet.
//
// Reads of the state of one job are many, and short but for the round trip to the database. So those that wait share
// one, and have a line of their own, which takes turns with that of all others.

/// A few threads with a reader each, for reads that would block a loop, such as lists and journals.
final class ReaderPool: Sendable {
    typealias Work = @Sendable (any JobReader) -> Void

    /// The maximum number of pending reads; further reads are refused. A tenant may have half of what the others leave.
    static let readsMax = 256
    /// The same for reads of the state of one job.
    static let jobReadsMax = 4_096
    /// The number of these that one round trip serves.
    static let jobsAtOnce = 32

    private struct Read: Sendable {
        let owner: String
        /// The job with which a read of its state begins; nil for other reads.
        var job: JobID?
        let work: Work
    }

    private struct Line: Sendable {
        /// The threads that do nothing.
        var idle: [Int]
        /// The reads that each of the others begins with.
        var given: [Int: [Read]] = [:]
        var isClosed = false
        var waiting = WorkTurns<Read>()
        /// Reads of the states of jobs.
        var waitingForJobs = WorkTurns<Read>()
        var isTurnOfJobs = false
        /// The number of threads that read for each tenant.
        var running: [String: Int] = [:]

        /// Whether a read of an owner may begin, with so many threads for one tenant.
        func mayRun(_ most: Int) -> (_ owner: String) -> Bool {
            { [running] in $0.isEmpty || running[$0, default: 0] < most }
        }

        /// Adds a read to its line. False when there is no room for it.
        mutating func wait(_ read: Read) -> Bool {
            read.job == nil
                ? Self.add(read, to: &waiting, max: readsMax)
                : Self.add(read, to: &waitingForJobs, max: jobReadsMax)
        }

        private static func add(_ read: Read, to line: inout WorkTurns<Read>, max: Int) -> Bool {
            let own = read.owner.isEmpty ? 0 : line.count(of: read.owner)
            let others = line.count - own
            guard line.count < max, own == 0 || own < (max - others) / 2 else { return false }
            line.add(read, for: LongWorkOwner(tenant: read.owner, job: ""))
            return true
        }

        /// Counts the owners of reads that one thread makes.
        mutating func begin(_ reads: [Read]) {
            for owner in Set(reads.map(\.owner)) where !owner.isEmpty { running[owner, default: 0] += 1 }
        }

        mutating func end(_ reads: [Read]) {
            for owner in Set(reads.map(\.owner)) {
                guard let count = running[owner] else { continue }
                running[owner] = count > 1 ? count - 1 : nil
            }
        }

        /// The next reads that a thread makes together, which begin; none when none may be made.
        mutating func next(_ most: Int) -> [Read] {
            isTurnOfJobs.toggle()
            var next = isTurnOfJobs ? nextOfJobs(most) : []
            if next.isEmpty, let read = waiting.next(where: mayRun(most)) { next = [read] }
            if next.isEmpty { next = nextOfJobs(most) }
            begin(next)
            return next
        }

        /// Gives a thread that does nothing the next reads; returns it.
        mutating func give(_ most: Int) -> Int? {
            guard !isClosed, let lane = idle.last else { return nil }
            let reads = next(most)
            if reads.isEmpty { return nil }
            given[lane] = reads
            return idle.removeLast()
        }

        private mutating func nextOfJobs(_ most: Int) -> [Read] {
            var reads: [Read] = []
            while reads.count < jobsAtOnce, let read = waitingForJobs.next(where: mayRun(most)) {
                reads.append(read)
            }
            return reads
        }
    }

    private let desk: Desk
    /// The threads for tenants that have used much time lately, created for the first of their reads.
    private let patient = Mutex<Desk?>(nil)
    private let recent = RecentTimes()
    private let store: any StoreReading
    private let count: Int

    /// The number of threads that serve all reads of requests, where reads are not local.
    static let remoteCount = 4

    /// Creates a pool with `count` (at least 1) readers of `store`.
    init(store: any StoreReading, count: Int) throws(JobStoreError) {
        (self.store, self.count) = (store, max(1, count))
        desk = try Desk(store, self.count, "reader", .even)
    }

    deinit {
        desk.close()
        patient.withLock { $0?.close() }
    }

    /// Runs `work` on one of the threads, in turn with that of other tenants. False, without running it, when too many
    /// reads are pending.
    /// - Parameter job: the job that it reads first, for work that reads little else.
    func run(inTurnOf tenant: Tenant? = nil, of job: JobID? = nil, _ work: @escaping Work) -> Bool {
        guard let owner = tenant?.name else { return desk.run(Read(owner: "", job: job, work: work)) }
        let read = Read(owner: owner, job: job) { [recent] reader in recent.measure(owner) { work(reader) } }
        return (recent.isMuch(of: owner) ? patientDesk() : desk).run(read)
    }

    /// The line of tenants that have used much; that of all where the system gives no threads or readers.
    private func patientDesk() -> Desk {
        patient.withLock { known in
            if known == nil { known = try? Desk(store, count, "patient-reader", .patient) }
            return known ?? desk
        }
    }

    /// Does the same with a reader of what is a tenant's; nil sees everything.
    func run(for tenant: Tenant?, _ work: @escaping Work) -> Bool {
        guard let tenant else { return run(work) }
        return run(inTurnOf: tenant) { reader in work(TenantReader(reader, tenant)) }
    }

    /// The line and the readers of the threads, which end after the pool.
    private final class Desk: Sendable {
        private let readers: [any JobReader]
        private let bells: [Bell]
        private let line: Mutex<Line>
        /// The maximum number of threads that read for one tenant.
        private let ownMax: Int

        init(
            _ store: any StoreReading, _ count: Int, _ name: String, _ pace: ThreadPace
        ) throws(JobStoreError) {
            var readers: [any JobReader] = []
            for _ in 0..<count { readers.append(try store.makeReader()) }
            self.readers = readers
            bells = readers.map { _ in Bell() }
            line = Mutex(Line(idle: Array(readers.indices)))
            ownMax = max(1, readers.count - 1)
            do throws(JobStoreError) {
                for lane in readers.indices { try OSThread.start(name, pace) { [self] in attend(lane) } }
            } catch {
                close()
                throw error
            }
        }

        func run(_ read: Read) -> Bool {
            enum Step { case refused, waits, begins(Int) }
            let step = line.withLock { [ownMax] line -> Step in
                if line.mayRun(ownMax)(read.owner), let lane = line.idle.popLast() {
                    line.begin([read])
                    line.given[lane] = [read]
                    return .begins(lane)
                }
                return line.wait(read) ? .waits : .refused
            }
            switch step {
            case .refused: return false
            case .waits: return true
            case .begins(let lane):
                bells[lane].ring()
                return true
            }
        }

        /// The work of a thread: the reads that it is given, and those that wait.
        func attend(_ lane: Int) {
            while true {
                var (next, isOver) = line.withLock { ($0.given.removeValue(forKey: lane) ?? [], $0.isClosed) }
                while !next.isEmpty {
                    make(next, readers[lane])
                    let woken: Int?
                    (next, woken, isOver) = line.withLock { [ownMax, next] line in
                        line.end(next)
                        let further = line.next(ownMax)
                        if further.isEmpty { line.idle.append(lane) }
                        // Reads for several tenants count for each: their end may let others begin.
                        return (further, further.isEmpty ? nil : line.give(ownMax), line.isClosed)
                    }
                    if let woken { bells[woken].ring() }
                }
                if isOver { return }
                bells[lane].wait(milliseconds: nil)
            }
        }

        private func make(_ reads: [Read], _ reader: any JobReader) {
            let jobs = reads.compactMap(\.job)
            if jobs.count < reads.count { return reads.forEach { $0.work(reader) } }
            reader.readTogether(jobs) { reads[$0].work(reader) }
        }

        func close() {
            line.withLock { $0.isClosed = true }
            for bell in bells { bell.ring() }
        }
    }
}
