import JobKit
import JobSpec
import JobStore
import StoreThreads
import Synchronization

// DESIGN
// Reading a body costs some 30 ns for each byte, so one of a megabyte would hold the loop, and with it the answers to
// all other requests, for longer than a loop may be held. One thread reads these bodies, in turn for each tenant and
// client. It has a reader of its own, and everything that the request reads later happens there as well.

/// The thread that serves requests with large bodies.
final class LargeBodies: Sendable {
    /// The size from which a body is large, in bytes.
    static let bytesMin = 64 << 10
    /// The maximum number of requests that wait for the thread or are being read; further ones are refused.
    static let requestsMax = 256

    private let store: any StoreReading
    private let lane = WorkLane(isIdle: false)
    private let reader = Mutex<(any JobReader)?>(nil)
    private let requests = Atomic<Int>(0)

    /// The thread as one request uses it.
    struct Turn: Sendable {
        let reader: any JobReader
        fileprivate let lane: WorkLane
        fileprivate let owner: LongWorkOwner

        /// Runs `work`, which may read, on the thread.
        func goOn(_ work: @escaping @Sendable () -> Void) { lane.add(work, for: owner) }
    }

    init(_ store: any StoreReading) { self.store = store }

    /// Runs `work` on the thread. False, without running it, when too many requests wait.
    func run(
        for client: Client, of tenant: Tenant?,
        _ work: @escaping @Sendable (Result<Turn, JobStoreError>) -> Void
    ) -> Bool {
        guard requests.wrappingAdd(1, ordering: .relaxed).newValue <= Self.requestsMax else {
            requests.wrappingSubtract(1, ordering: .relaxed)
            return false
        }
        let owner = LongWorkOwner(tenant: tenant?.name ?? "", job: String(describing: client))
        lane.add(
            { [self] in
                work(turn(of: owner))
                requests.wrappingSubtract(1, ordering: .relaxed)
            }, for: owner)
        return true
    }

    /// Ends the thread when it has served all requests.
    func close() { lane.close() }

    private func turn(of owner: LongWorkOwner) -> Result<Turn, JobStoreError> {
        do throws(JobStoreError) {
            return .success(Turn(reader: try ownReader(), lane: lane, owner: owner))
        } catch {
            return .failure(error)
        }
    }

    private func ownReader() throws(JobStoreError) -> any JobReader {
        if let own = reader.withLock({ $0 }) { return own }
        let own = try store.makeReader()
        reader.withLock { $0 = own }
        return own
    }
}
