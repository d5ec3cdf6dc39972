package import JobKit
internal import Synchronization

// DESIGN
// A job that may run at once is stored and claimed in one step when a runner has room for it: one row is written
// instead of two, one commit is waited for instead of two, and nobody has to be woken to ask. It takes nobody's turn:
// a store does so only while no other job waits to be claimed.

/// The room that a runner has, and how it takes jobs that are claimed as they are stored.
package final class JobArrivals: Sendable {
    let owner: String
    let lease: Duration
    let now: @Sendable () -> Timestamp
    /// Called with claimed jobs after the commit that made them durable.
    package let handOver: @Sendable ([Claim]) -> Void
    private let room: Atomic<Int>

    /// - Parameters:
    ///   - owner: the runner's name in claims.
    ///   - lease: how long a claim holds.
    ///   - room: for how many jobs there is room now.
    ///   - now: what time it is. On any thread.
    ///   - handOver: called with claimed jobs after the commit that made them durable, on a thread of the store or of
    ///     whoever submits. Each has taken one of the room.
    package init(
        owner: String, lease: Duration, room: Int, now: @escaping @Sendable () -> Timestamp,
        handOver: @escaping @Sendable ([Claim]) -> Void
    ) {
        self.owner = owner
        self.lease = lease
        self.room = Atomic(room)
        self.now = now
        self.handOver = handOver
    }

    /// Takes room for up to `count` jobs. From any thread.
    /// - Returns: for how many there was room.
    package func take(_ count: Int) -> Int {
        var free = room.load(ordering: .relaxed)
        while true {
            let taken = min(count, free)
            guard taken > 0 else { return 0 }
            let (exchanged, original) = room.weakCompareExchange(
                expected: free, desired: free - taken, ordering: .acquiringAndReleasing)
            if exchanged { return taken }
            free = original
        }
    }

    /// Gives room back, for this many jobs. From any thread.
    package func giveBack(_ count: Int) {
        if count > 0 { room.wrappingAdd(count, ordering: .acquiringAndReleasing) }
    }
}
