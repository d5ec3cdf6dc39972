import JobKit
import JobStore
import Synchronization
import Testing

@testable import JobServer

@Suite struct `The parts of a batch` {
    /// Notes the sizes of the parts and answers none.
    private final class Intake: SubmissionStore {
        let parts = Mutex<[(jobs: Int, bytes: Int)]>([])

        func submit(
            _ job: NewJob, reply: @escaping StoreReply<SubmitOutcome>
        ) {}

        func submit(
            _ jobs: [NewJob], isAtomic: Bool, isFollowed: Bool,
            reply: @escaping StoreReply<BatchOutcome>
        ) {
            parts.withLock { $0.append((jobs.count, jobs.reduce(0) { $0 + $1.bytes })) }
        }
    }

    private let intake = Intake()

    private func job(bytes: Int) -> NewJob {
        let record = JobRecord(
            id: JobID(high: 1, low: 2), name: "a", type: "value", queue: "default", priority: 5, labels: [],
            state: .queued, attemptsMax: 1, createdAt: Timestamp(milliseconds: 0),
            keepSucceededMilliseconds: 1, keepFailedMilliseconds: 1)
        return NewJob(record: record, spec: [UInt8](repeating: 32, count: bytes))
    }

    @Test func `have twenty jobs, and fewer when their specs are large`() {
        let parts = BatchParts(intake, isWhole: false)
        for _ in 0..<41 { parts.add(job(bytes: 100)) }
        for _ in 0..<3 { parts.add(job(bytes: 200 << 10)) }
        parts.end(isAtomic: false) { _ in }
        #expect(intake.parts.withLock { $0.map(\.jobs) } == [20, 20, 3, 1])
        #expect(!parts.isTooLarge)
    }

    @Test func `are one when one job depends on the others, which may not be too large`() {
        let parts = BatchParts(intake, isWhole: true)
        for _ in 0..<24 { parts.add(job(bytes: 1 << 20)) }
        #expect(!parts.isTooLarge)
        parts.add(job(bytes: 1))
        #expect(parts.isTooLarge)
        #expect(intake.parts.withLock { $0.isEmpty })
    }
}
