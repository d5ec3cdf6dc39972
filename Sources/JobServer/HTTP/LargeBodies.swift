import JobKit
import JobSpec
import JobStore
import StoreThreads
import Synchronization

// DESIGN
// Reading a body costs some 30 ns for each byte, so one of a megabyte would hold the loop, and with it the answers to
// all other requests, for longer than a loop may be held. One thread reads these bodies, in turn for each tenant and
// client. It has a reader of its own, and everything that the request reads later happens there as well.
//
// A tenant that has used much time of the thread lately goes on with another one, which leaves nine tenths of a
// processor to the engine and the loops, where these want it.

/// The threads that serve requests with large bodies.
final class LargeBodies: Sendable {
    /// The size from which a body is large, in bytes.
    static let bytesMin = 64 << 10
    /// The maximum number of requests that wait for a thread or are being read; further ones are refused. A tenant,
    /// or a client without one, may have half of the places that the others leave.
    static let requestsMax = 256

    private let even: Desk
    /// For tenants that have used much time lately.
    private let patient: Desk
    private let recent = RecentTimes()
    /// The requests that wait for a thread or are being read, by tenant or client.
    private let places = Mutex(SharedPlaces<String>(requestsMax))

    /// A thread, and its reader from the first request on.
    private final class Desk: Sendable {
        let lane: WorkLane
        private let store: any StoreReading
        private let reader = Mutex<(any JobReader)?>(nil)

        init(_ store: any StoreReading, _ name: String, _ pace: ThreadPace) {
            lane = WorkLane(name, pace)
            self.store = store
        }

        func turn(of owner: LongWorkOwner) -> Result<Turn, JobStoreError> {
            reader.withLock { reader in
                do throws(JobStoreError) {
                    let own = if let reader { reader } else { try store.makeReader() }
                    reader = own
                    return .success(Turn(reader: own, lane: lane, owner: owner))
                } catch {
                    return .failure(error)
                }
            }
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

    init(_ store: any StoreReading) {
        even = Desk(store, "large-bodies", .modest)
        patient = Desk(store, "patient-bodies", .patient)
    }

    /// Runs `work` on a thread.
    /// - Returns: the refusal when too many requests wait; then `work` does not run.
    func run(
        for client: Client, of tenant: Tenant?,
        _ work: @escaping StoreReply<Turn>
    ) -> Problem? {
        let owner = LongWorkOwner(tenant: tenant?.name ?? "", job: String(describing: client))
        let share = tenant?.name ?? owner.job
        if let refusal = places.withLock({ $0.take(share) }) { return Self.problem(refusal) }
        let desk = tenant != nil && recent.isMuch(of: share) ? patient : even
        desk.lane.add(
            { [self] in
                let turn = desk.turn(of: owner)
                if tenant == nil { work(turn) } else { recent.measure(share) { work(turn) } }
                places.withLock { $0.giveBack(share) }
            }, for: owner)
        return nil
    }

    private static func problem(_ refusal: SharedPlaces<String>.Refusal) -> Problem {
        switch refusal {
        case .full:
            Problem(
                .overloaded,
                "Too many requests with large bodies wait to be read. Nothing is wrong with the request.")
        case .share(let own):
            Problem(
                .clientLimited,
                "\(own) of your requests with large bodies wait to be read, half of what others leave. Send the "
                    + "next when one is answered.")
        }
    }

    /// Ends the threads when they have served all requests.
    func close() {
        even.lane.close()
        patient.lane.close()
    }
}
