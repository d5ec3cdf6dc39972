import JobKit
import JobStore
import Testing

@testable import JobServer

@Suite struct `The end of a wait for a job` {
    private let final = WaitEnd(after: 3, isReached: \.isFinal)
    private let changed = WaitEnd(after: 3) { _ in true }
    private let id = JobID(high: 7, low: 1)

    private func change(_ state: JobState?, _ revision: Int64) -> JobChange {
        JobChange(id: id, state: state, revision: revision)
    }

    @Test func `is the awaited state at a later revision than the one that was read`() {
        #expect(final.isMade(by: change(.succeeded, 4)))
        #expect(!final.isMade(by: change(.running, 4)))
        #expect(changed.isMade(by: change(.running, 4)))
    }

    @Test func `is not what another server did before the read, however late it is reported`() {
        #expect(!final.isMade(by: change(.failed, 2)))
        #expect(!changed.isMade(by: change(.queued, 2)))
        #expect(!changed.isMade(by: change(.running, 3)))
    }

    @Test func `is the erasure of the job in any case`() {
        #expect(final.isMade(by: change(nil, 3)))
        #expect(changed.isMade(by: change(nil, 1)))
    }
}
