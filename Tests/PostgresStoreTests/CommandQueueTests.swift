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
}
