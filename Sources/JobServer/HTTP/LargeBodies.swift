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
    /// The maximum number of requests that wait for the thread or are being read; further ones are refused. A tenant,
    /// or a client without one, may have half of the places that the others leave.
    static let requestsMax = 256

    private let store: any StoreReading
    private let lane = WorkLane(isIdle: false)
    private let reader = Mutex<(any JobReader)?>(nil)
    private let places = Mutex(Places())

    /// The requests that wait for the thread or are being read.
    struct Places: Sendable {
        private var owned: [String: Int] = [:]
        private var taken = 0

        /// Takes a place, unless all are taken, or the owner has half of those that the others leave.
        /// - Returns: the refusal.
        mutating func take(_ owner: String) -> Problem? {
            let own = owned[owner] ?? 0
            if own >= (requestsMax - taken + own) / 2 {
                if own == 0 {
                    return Problem(
                        .overloaded,
                        "Too many requests with large bodies wait to be read. Nothing is wrong with the request."
                    )
                }
                return Problem(
                    .clientLimited,
                    "\(own) of your requests with large bodies wait to be read, half of what others leave. Send the "
                        + "next when one is answered.")
            }
            owned[owner] = own + 1
            taken += 1
            return nil
        }

        mutating func giveBack(_ owner: String) {
            guard let own = owned[owner] else { return }
            owned[owner] = own > 1 ? own - 1 : nil
            taken -= 1
        }
    }

    /// The thread as one request uses it.
    struct Turn: Sendable {
        let reader: any JobReader
        fileprivate let lane: WorkLane
        fileprivate let owner: LongWorkOwner

        /// Runs `work`, which may read, on the thread.
        func goOn(_ work: @escaping @Sendable () -> Void) { lane.add(work, for: owner) }
    }

    init(_ store: any StoreReading) { self.store = store }

    /// Runs `work` on the thread.
    /// - Returns: the refusal when too many requests wait; then `work` does not run.
    func run(
        for client: Client, of tenant: Tenant?,
        _ work: @escaping @Sendable (Result<Turn, JobStoreError>) -> Void
    ) -> Problem? {
        let owner = LongWorkOwner(tenant: tenant?.name ?? "", job: String(describing: client))
        let share = tenant?.name ?? owner.job
        if let problem = places.withLock({ $0.take(share) }) { return problem }
        lane.add(
            { [self] in
                work(turn(of: owner))
                places.withLock { $0.giveBack(share) }
            }, for: owner)
        return nil
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
