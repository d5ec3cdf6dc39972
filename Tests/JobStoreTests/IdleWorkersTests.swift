import JobKit
import StoreThreads
import Synchronization
import Testing

@Suite struct `Threads for long work` {
    private final class Notes: Sendable {
        let names = Mutex<[String]>([])
        func add(_ name: String) { names.withLock { $0.append(name) } }
    }

    @Test func `let owners take turns, however much work each of them has`() async {
        let workers = IdleWorkers(threadsMax: 1)
        defer { workers.close() }
        let notes = Notes()
        let gate = Bell()
        workers.add(for: "first") { gate.wait(milliseconds: nil) }
        for number in 1...3 { workers.add(for: "busy") { notes.add("busy \(number)") } }
        workers.add(for: "other") { notes.add("other 1") }
        gate.ring()
        await workers.result(for: "last") { notes.add("last") }
        await workers.result(for: "end") {}
        let names = notes.names.withLock { $0 }
        #expect(names.prefix(2) == ["busy 1", "other 1"])
    }

    @Test func `give values back, many at a time`() async {
        let workers = IdleWorkers()
        let sum = await withTaskGroup(of: Int.self) { group in
            for number in 1...200 {
                group.addTask { await workers.result(for: "job \(number % 7)") { number } }
            }
            return await group.reduce(0, +)
        }
        #expect(sum == 20_100)
        workers.close()
        #expect(await workers.result(for: "late") { 7 } == 7)
    }
}
