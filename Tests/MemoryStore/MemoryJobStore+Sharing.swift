package import JobKit
package import JobSpec
package import JobStore
import Synchronization

/// The means of several servers that share the memory.
extension MemoryJobStore {
    /// The requests and messages of writes, which other servers are to be told.
    package struct News: Sendable {
        package var requests: [RunRequest] = []
        package var messages: [ServerMessage] = []
    }

    /// The news since the last call, unless messages are observed.
    package func takeNews() -> News {
        change { ledger in
            defer { (ledger.requests, ledger.messages) = ([], []) }
            return News(requests: ledger.requests, messages: ledger.messages)
        }
    }

    package func observeMessages(_ observer: @escaping @Sendable ([ServerMessage]) -> Void) {
        messageObserver.withLock { $0 = observer }
    }

    package var shared: (any SharedStore)? { change { $0.isShared } ? self : nil }

    /// Never called: a test observes what it writes itself.
    package func observeRequests(_ observer: @escaping @Sendable ([RunRequest]) -> Void) {}

    /// Never called: nothing is missing in one memory.
    package func observeGaps(_ observer: @escaping @Sendable () -> Void) {}

    package func perform<Write: SharedWrite>(_ write: Write, reply: @escaping StoreReply<Write.Reply>) {
        reply(run { write.apply(in: $0) })
    }

    /// Whether an owner has a lease that has not expired.
    package func isAlive(_ owner: OwnerID, at now: Timestamp) -> Bool {
        change { $0.leases.alive(at: now).contains(owner) }
    }

    /// Requeues the jobs of claims that were not handed over, as far as the claims were made.
    package func putBack(_ claims: [ClaimKey], at now: Timestamp, reply: @escaping StoreReply<Void>) {
        reply(
            write { ledger in
                for claim in claims {
                    guard var job = ledger.entries[claim.id]?.job, job.isHeld(fence: claim.fence) else {
                        continue
                    }
                    job.putBack(at: now, isDeath: false)
                    ledger.put(job)
                }
            })
    }

    // MARK: Faults that are planted

    /// Requeues the jobs of all others, as a server may do only if it is the only one.
    package func recoverEverybody(
        besides survivor: OwnerID?, now: Timestamp,
        reply: @escaping StoreReply<Int>
    ) {
        reply(write { $0.putBack(at: now, isDeath: true) { $0 != survivor } })
    }

    /// Decides by other limits of a queue than those that are stored.
    package func useLimits(_ spec: QueueSpec?, of queue: String) {
        change { $0.configure(queue, spec) }
    }
}
