import Dispatch
internal import JobSpec
import JobStore
import Synchronization

/// A few threads with a reader each, for reads that would block a loop, such as lists and journals.
final class ReaderPool: Sendable {
    /// The maximum number of pending and running reads; further reads are refused.
    static let readsMax = 256

    private struct Lane: Sendable {
        let queue: DispatchQueue
        let reader: any JobReader
    }

    private let lanes: [Lane]
    private let next = Atomic<Int>(0)
    private let pending = Atomic<Int>(0)

    /// The number of threads that serve all reads of requests, where reads are not local.
    static let remoteCount = 4

    /// Creates a pool with `count` (at least 1) readers of `store`.
    init(store: any StoreReading, count: Int) throws(JobStoreError) {
        var lanes: [Lane] = []
        for index in 0..<max(1, count) {
            lanes.append(
                Lane(queue: DispatchQueue(label: "jobserver.reader.\(index)"), reader: try store.makeReader())
            )
        }
        self.lanes = lanes
    }

    /// Runs `work` on one of the threads. False, without running it, when too many reads are pending.
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

    /// Does the same with a reader of what is a tenant's; nil sees everything.
    func run(for tenant: Tenant?, _ work: @escaping @Sendable (any JobReader) -> Void) -> Bool {
        guard let tenant else { return run(work) }
        return run { reader in work(TenantReader(reader, tenant)) }
    }
}
