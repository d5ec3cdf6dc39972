import EventIO
import JobKit
import JobRunner
import JobStore
import MemoryStore
import Synchronization
import Testing

@testable import JobServer

@Suite struct `The event stream of one job` {
    @Test func `counts its end once, also when the client leaves meanwhile`() async throws {
        let store = MemoryJobStore()
        let id = JobID(high: 7, low: 1)
        let record = JobRecord(
            id: id, name: "job", type: "value", queue: "default", priority: 5, labels: [], state: .queued,
            attemptsMax: 1, createdAt: SystemTime.now(), keepSucceededMilliseconds: 60_000,
            keepFailedMilliseconds: 60_000)
        let spec = Array(#"{"type": "value", "value": 1}"#.utf8)
        store.submit(NewJob(record: record, spec: spec)) { _ in }
        let event = JournalEntry.Event.cancelRequested(by: "test", reason: nil)
        let entry = JournalEntry(at: record.createdAt, path: [], event: event)
        store.cancel(CancelRequest(id: id, at: record.createdAt, journal: entry)) { _ in }
        let reader = try store.makeReader()
        #expect(try reader.job(id)?.state == .cancelled)

        let loop = try EventLoop(name: "streams")
        loop.start()
        defer { loop.stop() }
        let feed = ChangeFeed(life: "a")
        _ = feed.enter(on: loop)
        let opened = Mutex<JournalStream?>(nil)
        let stream = JournalStream(
            of: id, after: 0, feed, reader: reader,
            readElsewhere: { read in
                opened.withLock { $0 }?.cancel()
                read(reader)
                return true
            }, watch: JobWatch(), on: loop, base: "")
        opened.withLock { $0 = stream }
        #expect(feed.streamCount == 1)
        try await Task(executorPreference: loop) { while try await stream.next() != nil {} }.value
        opened.withLock { $0 = nil }
        #expect(feed.streamCount == 0)
    }
}
