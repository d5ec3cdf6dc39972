import Dispatch
internal import JobSpec
import JobStore
import Synchronization

/// A few threads with a reader each, for reads that would hold up a loop: lists, journals.
final class ReaderPool: Sendable {
    /// How many reads may wait or run at once; beyond, they are refused.
    static let readsMax = 256

    private struct Lane: Sendable {
        let queue: DispatchQueue
        let reader: any JobReader
    }

    private let lanes: [Lane]
    private let next = Atomic<Int>(0)
    private let pending = Atomic<Int>(0)

    /// A pool with `count` (at least 1) readers of `store`.
    init(store: any StoreReading, count: Int) throws(JobStoreError) {
        var lanes: [Lane] = []
        for index in 0..<max(1, count) {
            lanes.append(
                Lane(queue: DispatchQueue(label: "jobserver.reader.\(index)"), reader: try store.makeReader())
            )
        }
        self.lanes = lanes
    }

    /// Runs `work` on one of the threads. False, and nothing runs, when too much is waiting.
    func run(_ work: @escaping @Sendable (any JobReader) -> Void) -> Bool {
        guard pending.wrappingAdd(1, ordering: .relaxed).newValue <= ReaderPool.readsMax else {
            pending.wrappingSubtract(1, ordering: .relaxed)
            return false
        }
        let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
        let lane = lanes[Int(turn.magnitude % lanes.count.magnitude)]
        lane.queue.async {
            work(lane.reader)
            self.pending.wrappingSubtract(1, ordering: .relaxed)
        }
        return true
    }
}
