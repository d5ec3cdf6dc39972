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

/// A few threads with a reader each, for reads that would block a loop, such as lists and journals.
final class ReaderPool: Sendable {
    typealias Work = @Sendable (any JobReader) -> Void

    /// The maximum number of pending reads; further reads are refused. A tenant may have half of what the others leave.
    static let readsMax = 256

    private struct Read: Sendable {
        let owner: String
        let work: Work
    }

    private struct Line: Sendable {
        /// The threads that do nothing.
        var idle: [Int]
        /// The read that each of the others begins with.
        var given: [Int: Read] = [:]
        var isClosed = false
        var waiting = WorkTurns<Read>()
        /// The numbers of reads of tenants that are being made.
        var running: [String: Int] = [:]

        func mayRun(_ owner: String, _ most: Int) -> Bool {
            owner.isEmpty || running[owner, default: 0] < most
        }

        func mayWait(_ owner: String) -> Bool {
            let own = owner.isEmpty ? 0 : waiting.count(of: owner)
            let others = waiting.count - own
            return waiting.count < readsMax && (own == 0 || own < (readsMax - others) / 2)
        }

        mutating func begin(_ owner: String) { if !owner.isEmpty { running[owner, default: 0] += 1 } }

        mutating func end(_ owner: String) {
            guard let count = running[owner] else { return }
            running[owner] = count > 1 ? count - 1 : nil
        }

        /// The next read that may be made, which begins.
        mutating func next(_ most: Int) -> Read? {
            let next = waiting.next { [running] in $0.isEmpty || running[$0, default: 0] < most }
            if let next { begin(next.owner) }
            return next
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
    func run(inTurnOf tenant: Tenant? = nil, _ work: @escaping Work) -> Bool {
        guard let owner = tenant?.name else { return desk.run(Read(owner: "", work: work)) }
        let read = Read(owner: owner) { [recent] reader in recent.measure(owner) { work(reader) } }
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
                if line.mayRun(read.owner, ownMax), let lane = line.idle.popLast() {
                    line.begin(read.owner)
                    line.given[lane] = read
                    return .begins(lane)
                }
                guard line.mayWait(read.owner) else { return .refused }
                line.waiting.add(read, for: LongWorkOwner(tenant: read.owner, job: ""))
                return .waits
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
                var (next, isOver) = line.withLock { ($0.given.removeValue(forKey: lane), $0.isClosed) }
                while let read = next {
                    read.work(readers[lane])
                    (next, isOver) = line.withLock { [ownMax] line in
                        line.end(read.owner)
                        let next = line.next(ownMax)
                        if next == nil { line.idle.append(lane) }
                        return (next, line.isClosed)
                    }
                }
                if isOver { return }
                bells[lane].wait(milliseconds: nil)
            }
        }

        func close() {
            line.withLock { $0.isClosed = true }
            for bell in bells { bell.ring() }
        }
    }
}
