import EventIO
import JobStore
import MemoryStore
import Synchronization
import Testing

@testable import JobRunner

@Suite struct `A read for the engine` {
    private func count(_ reader: any JobReader) throws(JobStoreError) -> Int {
        try reader.runningBulks(limit: 1).count
    }

    @Test func `is done at once, by the reader of the loop, where one server uses the store`() throws {
        let store = MemoryJobStore()
        let found = Mutex<[Int?]>([])
        let reads = LoopReads(store: store, loop: try EventLoop(name: "engine"))
        for isClosed in [false, true] {
            store.refuseAll(isClosed)
            reads.read(with: try store.makeReader(), count) { read in
                found.withLock { $0.append(try? read.get()) }
            }
        }
        #expect(found.withLock { $0 } == [0, nil])
    }

    @Test func `comes back to the loop where servers share the store`() async throws {
        let store = MemoryJobStore(isShared: true)
        let loop = try EventLoop(name: "engine")
        loop.start()
        let reads = LoopReads(store: store, loop: loop)
        for isClosed in [false, true] {
            store.refuseAll(isClosed)
            let reader = try store.makeReader()
            let (found, isOnLoop) = await withCheckedContinuation { continuation in
                reads.read(with: reader, count) { [loop] read in
                    continuation.resume(returning: (try? read.get(), loop.isCurrent))
                }
            }
            #expect(found == (isClosed ? nil : 0) && isOnLoop)
        }
        loop.stop()
    }
}
