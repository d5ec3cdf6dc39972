import JobKit
import Synchronization
import Testing

@testable import StoreThreads

@Suite struct `Threads for long work` {
    private final class Notes: Sendable {
        private let list = Mutex<[String]>([])
        var names: [String] { list.withLock { $0 } }
        func add(_ name: String) { list.withLock { $0.append(name) } }
    }

    @Test func `let tenants and their jobs take turns, however much work one has`() {
        let notes = Notes()
        var turns = WorkTurns<@Sendable () -> Void>()
        for (tenant, job, count) in [("a", "1", 3), ("a", "2", 2), ("b", "3", 2), ("", "4", 1)] {
            for number in 1...count {
                turns.add(
                    { notes.add("\(tenant)\(job)\(number)") }, for: LongWorkOwner(tenant: tenant, job: job))
            }
        }
        while let work = turns.next() { work() }
        #expect(notes.names == ["a11", "b31", "41", "a21", "b32", "a12", "a22", "a13"])
        turns.add({ notes.add("again") }, for: LongWorkOwner(job: "1"))
        turns.next()?()
        #expect(notes.names.last == "again")
    }

    @Test func `pass over tenants whose work may not run`() {
        var turns = WorkTurns<String>()
        for (tenant, work) in [("a", "a1"), ("b", "b1"), ("a", "a2")] {
            turns.add(work, for: LongWorkOwner(tenant: tenant, job: ""))
        }
        #expect(turns.count == 3)
        #expect(turns.count(of: "a") == 2)
        #expect(turns.next { $0 == "b" } == "b1")
        #expect(turns.next { $0 == "b" } == nil)
        #expect(turns.next() == "a1")
        #expect(turns.count(of: "a") == 1)
    }

    @Test func `do brief work while longer work runs`() async {
        let workers = IdleWorkers()
        defer { workers.close() }
        let gate = Bell()
        workers.add(.long, for: LongWorkOwner(job: "long")) { gate.wait(milliseconds: nil) }
        #expect(await workers.result(.brief, for: LongWorkOwner(job: "brief")) { 7 } == 7)
        gate.ring()
    }

    @Test func `give values back, many at a time, and after the end`() async {
        let workers = IdleWorkers()
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 1...200 {
                let owner = LongWorkOwner(tenant: "t\(number % 3)", job: "job \(number % 7)")
                group.addTask {
                    await workers.result(number % 2 == 0 ? .brief : .long, for: owner) { number }
                }
            }
            return await group.reduce(0, +)
        }
        #expect(sum == 20_100)
        workers.close()
        #expect(await workers.result(.long, for: LongWorkOwner(job: "late")) { 7 } == 7)
    }
}
