@testable import JobRunner
import Testing

@Suite struct `The pace of claims` {
    private func batches(after claims: (milliseconds: Int, isFilled: Bool)...) -> Int {
        var pace = ClaimPace()
        for claim in claims { pace.note(.milliseconds(claim.milliseconds), isFilled: claim.isFilled) }
        return pace.batches
    }

    @Test func `is one batch of jobs where the store is near`() {
        #expect(batches() == 1)
        #expect(batches(after: (1, true), (3, true), (2, false)) == 1)
    }

    @Test func `grows while claims that take long leave jobs behind`() {
        #expect(batches(after: (20, true)) == 2)
        #expect(batches(after: (20, true), (60, true)) == 4)
        #expect(batches(after: (20, true), (60, true), (60, true), (60, true)) == 4)
    }

    @Test func `does not grow where no more jobs wait`() {
        #expect(batches(after: (20, false), (60, false)) == 1)
        #expect(batches(after: (20, true), (60, false)) == 2)
    }

    @Test func `is one batch again when the store is near again`() {
        #expect(batches(after: (20, true), (20, true), (5, true), (3, true)) == 1)
        #expect(batches(after: (20, true), (20, true), (5, true)) == 4)
    }
}
