@testable import JobRunner
@testable import JobStore
import JobKit
import Testing

@Suite struct `The progress of the jobs of other servers` {
    @Test func `is asked for again while clients ask, and at once when the job has changed`() {
        let board = OthersProgress()
        let id = JobID(high: 1, low: 2)
        #expect(board.watch(id, at: .seconds(100)))
        #expect(!board.watch(id, at: .seconds(104)))
        #expect(board.watch(id, at: .seconds(105)))
        #expect(board.watch(JobID(high: 1, low: 3), at: .seconds(105)))
        board.observe([JobChange(id: id, state: .running, revision: 2)])
        #expect(board.watch(id, at: .seconds(106)))
    }

    @Test func `is shown until the job changes`() throws {
        let board = OthersProgress()
        let id = JobID(high: 1, low: 2)
        for progress in [
            JobProgress(done: 5, total: 10, unit: "bytes"),
            JobProgress(done: 7, total: nil, unit: "two words"),
            JobProgress(done: 8, total: 9, unit: nil), JobProgress(done: 8, total: 9, unit: "\u{301}x"),
        ] {
            board.note(try #require(JobProgress(message: progress.message)), of: id)
            #expect(board.progress(of: id)?.reported == progress)
        }
        for date in [Timestamp(milliseconds: 7), nil] {
            let counts = OperationCounts(total: 9, done: 3, failed: 1, estimatedUntil: date)
            board.note(try #require(OperationCounts(message: counts.message)), of: id)
            #expect(board.progress(of: id)?.operations == counts)
            #expect(board.progress(of: id)?.reported?.done == 8)
        }
        board.observe([JobChange(id: JobID(high: 1, low: 3), state: .running, revision: 2)])
        #expect(board.progress(of: id) != nil)
        board.observe([JobChange(id: id, state: .waiting, revision: 2)])
        #expect(board.progress(of: id) == nil)
        #expect(JobProgress(message: Array("x".utf8)) == nil)
        #expect(OperationCounts(message: Array("1 2 x -".utf8)) == nil)
    }
}
