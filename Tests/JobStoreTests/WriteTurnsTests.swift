import JobKit
import JobStore
import Synchronization
import Testing

@testable import SQLiteStore
@testable import StoreThreads

@Suite struct `Waiting writes of tenants` {
    /// A write with a number to tell it by.
    private struct Write: WaitingWrite {
        var owner: String
        var number = 0
        var bytes = 0
        var rows = 1
        var cost: Int { bytes + WriteCost.row * rows }
        var name: String { owner + String(number) }
    }

    private func turns(_ writes: [Write]) -> WriteTurns<Write> {
        var turns = WriteTurns<Write>()
        for write in writes { turns.add(write) }
        return turns
    }

    /// All writes, in groups of at most a cost.
    private func groups(_ turns: WriteTurns<Write>, costMax: Int) -> [[Write]] {
        var (turns, groups) = (turns, [[Write]]())
        while !turns.isEmpty { groups.append(turns.next(100, costMax: costMax)) }
        return groups
    }

    @Test func `keep the order of their arrival while they are of one tenant`() {
        let writes = (0..<200).map { Write(owner: "acme", number: $0, bytes: $0 % 7 * 10_000) }
        var waiting = turns(writes)
        #expect(!waiting.hasSeveralOwners)
        #expect(waiting.count == 200)
        var taken = waiting.next(50).map(\.number)
        taken += waiting.next(100, costMax: 300_000).map(\.number)
        #expect(taken.count < 100)
        waiting.add(Write(owner: "acme", number: 200))
        taken += waiting.next(1_000).map(\.number)
        #expect(taken == Array(0...200))
        #expect(waiting.isEmpty && waiting.cost == 0)
    }

    @Test func `let the first write of another tenant come next, whatever waits`() {
        var waiting = turns((0..<1_000).map { Write(owner: "flood", number: $0, bytes: 100_000) })
        // One group is being written.
        #expect(waiting.next(100, costMax: 512 << 10).count == 5)
        waiting.add(Write(owner: "other"))
        #expect(waiting.hasSeveralOwners)
        #expect(waiting.next(100, costMax: 512 << 10).first?.owner == "other")
        for number in 1...20 {
            waiting.add(Write(owner: "other", number: number))
            #expect(waiting.next(100, costMax: 512 << 10).contains { $0.name == "other\(number)" })
        }
    }

    /// Tenants send a write that fills a group as soon as the one before was taken.
    @Test(arguments: [1, 2, 3])
    func `wait for one write of each tenant that sends at each answer`(count: Int) {
        var waiting = WriteTurns<Write>()
        let senders = (0..<count).map { Write(owner: "large\($0)", bytes: 512 << 10) }
        for sender in senders { waiting.add(sender) }
        for number in 0..<20 {
            // One group is being written.
            var answered = waiting.next(100, costMax: 512 << 10)
            waiting.add(Write(owner: "other", number: number))
            var groups = 0
            while !answered.contains(where: { $0.owner == "other" }), groups < 50 {
                groups += 1
                for write in answered { waiting.add(write) }
                answered = waiting.next(100, costMax: 512 << 10)
            }
            #expect(groups <= count)
            for write in answered where write.owner != "other" { waiting.add(write) }
            if waiting.isEmpty { waiting.add(senders[0]) }
        }
    }

    @Test func `share the writer by cost, not by number`() {
        let large = (0..<400).map { Write(owner: "large", number: $0, bytes: 62 << 10) }
        let small = (0..<4_000).map { Write(owner: "small", number: $0) }
        let first = groups(turns(large + small), costMax: 1 << 20).prefix(20).joined()
        let (large1, small1) = (first.count { $0.owner == "large" }, first.count { $0.owner == "small" })
        #expect(abs(small1 - 32 * large1) <= 64, "\(large1) of 64 KiB and \(small1) of 2 KiB")
    }

    @Test func `count each job of a batch`() {
        let batches = (0..<100).map { Write(owner: "batches", number: $0, rows: 20) }
        let single = (0..<1_000).map { Write(owner: "single", number: $0) }
        let first = groups(turns(batches + single), costMax: 1 << 20).prefix(2).joined()
        let rows = first.reduce(into: [:]) { $0[$1.owner, default: 0] += $1.rows }
        #expect(abs((rows["batches"] ?? 0) - (rows["single"] ?? 0)) <= 40)
    }

    @Test func `keep the order of each tenant's, and a group its size`() {
        var numbers: [String: Int] = [:]
        var writes: [Write] = []
        var dice = SystemRandomNumberGenerator()
        for _ in 0..<2_000 {
            let owner = ["", "a", "b", "c"][Int(dice.next() % 4)]
            numbers[owner, default: 0] += 1
            writes.append(Write(owner: owner, number: numbers[owner] ?? 0, bytes: Int(dice.next() % 300_000)))
        }
        let found = groups(turns(writes), costMax: 512 << 10)
        #expect(found.joined().count == 2_000)
        for owner in numbers.keys {
            let order = found.joined().filter { $0.owner == owner }.map(\.number)
            #expect(order == Array(1...(numbers[owner] ?? 0)))
        }
        for group in found {
            #expect(group.count == 1 || group.reduce(0) { $0 + $1.cost } <= 512 << 10)
        }
    }

    @Test func `make a group by themselves when they are larger than one`() {
        let waiting = turns([
            Write(owner: "a", bytes: 8 << 20), Write(owner: "b"), Write(owner: "a", number: 1),
        ])
        #expect(groups(waiting, costMax: 1 << 20).map { $0.map(\.name) } == [["a0"], ["b0", "a1"]])
    }

    @Test func `are not taken when a group that has begun lacks room`() {
        var waiting = turns([Write(owner: "a", bytes: 100_000), Write(owner: "b", bytes: 100_000)])
        #expect(waiting.next(9, costMax: 50_000, takesOne: false).isEmpty)
        #expect(waiting.next(9, costMax: 150_000, takesOne: false).count == 1)
        #expect(waiting.count == 1)
    }

    @Test func `are known by tenant`() {
        var waiting = turns(
            [
                Write(owner: "", number: 1), Write(owner: "a", number: 2, bytes: 9),
                Write(owner: "a", number: 3),
            ])
        #expect(waiting.standing(of: "a").first?.number == 2)
        #expect(waiting.standing(of: "a").count == 2)
        #expect(waiting.standing(of: "a").bytes == 9)
        #expect(waiting.standing(of: "b").count == 0)
        #expect(Set(waiting.firsts.map(\.number)) == [1, 2])
        let gone = waiting.remove { $0.number == 2 }
        #expect(gone.map(\.number) == [2])
        #expect(waiting.next(9).map(\.number).sorted() == [1, 3])
        #expect(waiting.isEmpty)
    }

    @Test func `have memory: half of what the others leave`() {
        let mebibyte = Write(owner: "flood", bytes: 1 << 20)
        var waiting = WriteTurns<Write>()
        while waiting.refusal(of: mebibyte) == nil { waiting.add(mebibyte) }
        #expect(waiting.count == 128)
        let refusal = waiting.refusal(of: mebibyte)
        #expect(refusal?.code == .writesFull)
        #expect(refusal?.isRetryable == true)
        #expect(refusal?.detail.contains("128 MiB of yours and 0 MiB of others") == true)
        #expect(waiting.refusal(of: Write(owner: "flood")) == nil, "it has no content")
        let other = Write(owner: "other", bytes: 1 << 20)
        var count = 0
        while waiting.refusal(of: other) == nil {
            waiting.add(other)
            count += 1
        }
        #expect(count == 64)
        #expect(waiting.refusal(of: Write(owner: "third", bytes: 1 << 20)) == nil)
    }
}

@Suite struct `The writer's queue` {
    /// Counts the writes that were refused for lack of memory.
    private final class Refusals: Sendable {
        private let found = Mutex(0)
        var count: Int { found.withLock { $0 } }

        func note(_ result: Result<Int, JobStoreError>) {
            if case .failure(let error) = result, error.code == .writesFull { found.withLock { $0 += 1 } }
        }
    }

    private func command(_ owner: String, bytes: Int = 0, isUpdate: Bool = false) -> StoreCommand {
        StoreCommand(
            of: owner, isUpdate: isUpdate, bytes: bytes, reply: { (_: Result<Int, JobStoreError>) in }
        ) { _ in .success(0) }
    }

    private func next(_ queue: WriteQueue) -> [StoreCommand] { queue.next(limit: 4_096, waiting: 0) ?? [] }

    @Test func `delays a tenant by one group of another's flood at most`() {
        let queue = WriteQueue()
        for _ in 0..<50 {
            queue.add(command("flood", bytes: 1 << 20))
            queue.add(command("flood", bytes: 8 << 20, isUpdate: true))
        }
        #expect(next(queue).count <= 32)
        queue.add(command("other"))
        let groups = [next(queue), next(queue)]
        #expect(groups.contains { $0.contains { $0.owner == "other" } })
        #expect(groups.allSatisfy { $0.reduce(0) { $0 + $1.bytes } <= 8 << 20 })
    }

    @Test func `adds to a group that is being written only what it has room for, once tenants share it`() {
        let queue = WriteQueue()
        queue.add(command(""))
        queue.add(command("flood", bytes: 600 << 10))
        #expect(next(queue).count == 2)
        for _ in 0..<9 { queue.add(command("flood", bytes: 200 << 10)) }
        #expect(queue.more(limit: 512, waiting: 0).count == 2)
        #expect(queue.more(limit: 512, waiting: 0).isEmpty)
        queue.add(command(""))
        #expect(queue.more(limit: 512, waiting: 0).count == 1, "it is small, and its turn")
    }

    @Test func `tells each tenant how long its own writes wait`() {
        let queue = WriteQueue()
        queue.add(command("flood"))
        #expect(queue.pressure(of: "other").waiting == 1)
        queue.add(command("flood"))
        queue.add(command(""))
        #expect(queue.pressure(of: "flood").waiting == 3)
        #expect(queue.pressure(of: "flood").own == 2)
        #expect(queue.pressure(of: "flood").oldest > .zero)
        #expect(queue.pressure(of: "other").own == 0)
        #expect(queue.pressure(of: "other").oldest == .zero)
        _ = next(queue)
        #expect(queue.pressure(of: "flood").waiting == 0)
    }

    @Test func `refuses content that it has no memory for, but no update of a run`() {
        let queue = WriteQueue()
        let refused = Refusals()
        for _ in 0..<200 {
            queue.add(
                StoreCommand(of: "flood", bytes: 1 << 20, reply: refused.note) { _ in .success(0) })
        }
        #expect(refused.count == 72)
        queue.add(
            StoreCommand(of: "flood", isUpdate: true, bytes: 60 << 10, reply: refused.note) { _ in
                .success(0)
            })
        queue.add(StoreCommand(of: "other", bytes: 1 << 20, reply: refused.note) { _ in .success(0) })
        #expect(refused.count == 72)
    }
}
