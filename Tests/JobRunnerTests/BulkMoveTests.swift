import EventIO
import JobKit
import JobStore
import MemoryStore
import Synchronization
import Testing

@testable import JobRunner

@Suite struct `A bulk action that another server has moved` {
    private static func nothing(_ job: JobRecord) -> BulkStep.Verdict { .skip(code: "none", detail: "None.") }

    /// Waits until the loop has done what it had to do so far, and what follows from that.
    private func pass(_ loop: EventLoop) async {
        for _ in 0..<20 {
            await withCheckedContinuation { continuation in loop.execute { continuation.resume() } }
        }
    }

    @Test func `is read again when the store could not be read`() async throws {
        let time = ManualClock()
        let seen = Mutex<[Int]>([])
        let store = MemoryJobStore(clock: time, isShared: true)
        let loop = try EventLoop(name: "engine")
        loop.start()
        defer { loop.stop() }
        let stepped = SteppedLoop(on: loop, time: time)
        let rules = BulkRules(
            code: { _ in "other" }, decision: { _ in { job, _ in Self.nothing(job) } },
            progressed: { record, _ in seen.withLock { $0.append(record.settled) } })
        let runner = BulkRunner(store: store, loop: stepped, rules: rules, trouble: { _ in })
        let engine = JobRunner(
            store: store, transport: ScriptedTransport { _, _ in .json(200, "{}") }, loop: stepped,
            settings: RunnerSettings())
        let reader = try store.makeReader()
        loop.execute { runner.start(reader, engine) }
        await pass(loop)
        let ids = (0..<3).map { JobID(high: 1, low: $0) }
        let bulk = BulkRecord(
            id: BulkID(bits: ids[0]), body: [], perSecond: nil, createdAt: time.now, createdBy: "ada",
            total: ids.count)
        let record = try await store.perform(BulkCreation(bulk, of: ids))
        // The step of another server.
        _ = try await store.perform(
            BulkStep(
                id: bulk.id, place: 0, count: 1, at: time.now, code: { _ in "other" }, decide: Self.nothing))
        loop.execute {
            runner.begin(record)
            // Between the step, which is refused, and the read.
            loop.execute { store.refuseAll(true) }
        }
        await pass(loop)
        #expect(seen.withLock { $0 } == [0])
        store.refuseAll(false)
        for _ in 0..<200 where seen.withLock({ $0.count }) < 2 {
            time.advance(by: .milliseconds(500))
            await pass(loop)
        }
        #expect(seen.withLock { $0 } == [0, 1])
        runner.stop()
        loop.execute { runner.release() }
    }
}
