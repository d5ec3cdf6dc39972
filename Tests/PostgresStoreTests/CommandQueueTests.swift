import JobKit
import JobStore
import Testing

@testable import PostgresStore

@Suite struct `The queue of writes` {
    private func command(_ name: Int, isClaim: Bool = false) -> WriteCommand {
        let command = WriteCommand(bytes: name, reply: { (_: Result<Void, JobStoreError>) in }) { _ in
            .success(())
        }
        command.isClaim = isClaim
        return command
    }

    @Test func `keeps writes in order, but a claim goes first, in a small group`() throws {
        let queue = CommandQueue(patience: .seconds(1))
        for name in 1...100 { queue.add(command(name, isClaim: name == 40)) }
        let first = try #require(queue.next(limit: 512, waiting: 0)).map(\.bytes)
        #expect(first == [40] + Array(1...31))
        let rest = try #require(queue.next(limit: 512, waiting: 0)).map(\.bytes)
        #expect(rest == Array(32...39) + Array(41...100))
    }

    @Test func `hands out all claims that wait together`() throws {
        let queue = CommandQueue(patience: .seconds(1))
        for name in 1...50 { queue.add(command(name, isClaim: name % 20 == 0)) }
        let first = try #require(queue.next(limit: 512, waiting: 0)).map(\.bytes)
        #expect(first == [20, 40] + Array(1...19) + Array(21...32))
        let rest = try #require(queue.next(limit: 512, waiting: 0)).map(\.bytes)
        #expect(rest == Array(33...39) + Array(41...50))
    }

    private func command(
        of owner: String, bytes: Int = 0, needs: WriteNeeds = WriteNeeds()
    ) -> WriteCommand {
        WriteCommand(of: owner, needs: needs, bytes: bytes, reply: { (_: Result<Void, JobStoreError>) in }) {
            _ in
            .success(())
        }
    }

    private func next(_ queue: CommandQueue) throws -> [WriteCommand] {
        try #require(queue.next(limit: 512, waiting: 0))
    }

    /// The update of a run with so many bytes.
    private func update(of owner: String, _ fence: Int64, bytes: Int) -> WriteCommand {
        command(
            of: owner, bytes: bytes,
            needs: WriteNeeds(runs: [ClaimKey(id: JobID(high: 1, low: 2), fence: fence)]))
    }

    @Test func `delays a tenant by one group of another's flood at most`() throws {
        let queue = CommandQueue(patience: .seconds(1))
        queue.add(command(of: ""))
        for number in 0..<200 {
            queue.add(command(of: "flood", bytes: 250 << 10))
            queue.add(update(of: "flood", Int64(number), bytes: 120 << 10))
        }
        for _ in 0..<20 {
            // The group that is being written.
            #expect(try next(queue).reduce(0) { $0 + $1.bytes } <= 512 << 10)
            queue.add(command(of: "other"))
            let groups = [try next(queue), try next(queue)]
            #expect(groups.contains { $0.contains { $0.owner == "other" } })
        }
    }

    @Test func `lets a claim go first among the large updates, too, and these come between`() throws {
        let queue = CommandQueue(patience: .seconds(1))
        for number in 0..<4 { queue.add(update(of: "a", Int64(number), bytes: 600 << 10)) }
        for _ in 0..<1_200 { queue.add(command(of: "b")) }
        var large = 0
        for _ in 0..<8 {
            queue.add(command(7, isClaim: true))
            let group = try next(queue)
            #expect(group.first?.isClaim == true)
            #expect(group.count <= 32)
            large += group.count { !$0.needs.runs.isEmpty }
        }
        #expect(large == 4)
    }

    @Test func `keeps the updates of a run in order`() throws {
        let queue = CommandQueue(patience: .seconds(1))
        for number in 1...30 {
            queue.add(update(of: "a", Int64(number), bytes: 1_000))
            queue.add(command(of: "b", bytes: 100_000))
        }
        var fences: [Int64] = []
        while fences.count < 30 { fences += try next(queue).flatMap { $0.needs.runs.map(\.fence) } }
        #expect(fences == Array(1...30))
    }

    @Test func `tells each tenant how long its own writes wait`() {
        let queue = CommandQueue(patience: .seconds(1))
        for _ in 0..<3 { queue.add(command(of: "flood")) }
        queue.add(command(of: ""))
        #expect(queue.pressure.waiting == 4 && queue.pressure.oldest > .zero)
        #expect(queue.pressure(of: "flood").own == 3)
        #expect(queue.pressure(of: "flood").oldest > .zero)
        #expect(queue.pressure(of: "other").waiting == 4)
        #expect(queue.pressure(of: "other").own == 0)
        #expect(queue.pressure(of: "other").oldest == .zero)
    }
}
