import EventIO
import JobKit
import JobRunner
import JobStore
import MemoryStore
import Synchronization
import Testing

@testable import JobServer

@Suite struct `The event stream of one job` {
    private let id = JobID(high: 7, low: 1)
    private let owner = StreamOwner.client(.token("test"))

    /// A store with one job, which is queued.
    private func makeStore() -> MemoryJobStore {
        let store = MemoryJobStore()
        let record = JobRecord(
            id: id, name: "job", type: "value", queue: "default", priority: 5, labels: [], state: .queued,
            attemptsMax: 1, createdAt: SystemTime.now(), keepSucceededMilliseconds: 60_000,
            keepFailedMilliseconds: 60_000)
        let spec = Array(#"{"type": "value", "value": 1}"#.utf8)
        store.submit(NewJob(record: record, spec: spec)) { _ in }
        return store
    }

    @Test func `counts its end once, also when the client leaves meanwhile`() async throws {
        let store = makeStore()
        let now = SystemTime.now()
        let event = JournalEntry.Event.cancelRequested(by: "test", reason: nil)
        let entry = JournalEntry(at: now, path: [], event: event)
        store.perform(CancelRequest(id: id, at: now, journal: entry)) { _ in }
        let reader = try store.makeReader()
        #expect(try reader.job(id)?.state == .cancelled)

        let loop = try EventLoop(name: "streams")
        loop.start()
        defer { loop.stop() }
        let feed = ChangeFeed(life: "a")
        _ = feed.enter(on: loop, for: owner)
        let opened = Mutex<JournalStream?>(nil)
        let stream = JournalStream(
            of: id, after: 0, feed, for: owner, reader: reader,
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

    @Test func `pauses between two looks while as many wait as may`() async throws {
        let loop = try EventLoop(name: "streams")
        loop.start()
        defer { loop.stop() }
        let feed = ChangeFeed(life: "a")
        _ = feed.enter(on: loop, for: owner)
        let pauses = Mutex(0)
        let reader = try makeStore().makeReader()
        let stream = JournalStream(
            of: id, after: 0, feed, for: owner, reader: reader, readElsewhere: nil,
            watch: JobWatch(waitersMax: 0), on: loop, base: "",
            pause: { _ in pauses.withLock { $0 += 1 } })
        let pieces = try await Task(executorPreference: loop) {
            var pieces: [String] = []
            for _ in 1...6 {
                let piece = try await stream.next() ?? []
                pieces.append(String(decoding: piece, as: UTF8.self))
            }
            return pieces
        }.value
        // The first begins the stream.
        let quiet = pieces.dropFirst().count { $0.contains("bookmark") }
        let count = pauses.withLock { $0 }
        #expect(quiet >= 4)
        #expect(count == quiet)
        stream.cancel()
    }
}
