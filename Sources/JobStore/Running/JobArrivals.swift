package import JobKit

// DESIGN
// A job that may run at once is stored and claimed in one step when a runner has room for it: one row is written
// instead of two, one commit is waited for instead of two, and no thread has to be woken to ask. It jumps no queue:
// a store does so only while no other job waits to be claimed.

/// A runner that takes jobs claimed as they are stored.
package final class JobArrivals: Sendable {
    /// The owner of the claims.
    package let owner: OwnerID
    let now: @Sendable () -> Timestamp
    /// Called with claimed jobs after the commit that made them durable.
    package let handOver: @Sendable ([Claim]) -> Void
    /// The room of the runner.
    package let room: RunSlots

    /// - Parameters:
    ///   - owner: the owner of the claims.
    ///   - room: the room of the runner.
    ///   - now: what time it is. On any thread.
    ///   - handOver: called with claimed jobs after the commit that made them durable, on a thread of the store or of
    ///     whoever submits. Each has taken one of the room.
    package init(
        owner: OwnerID, room: RunSlots, now: @escaping @Sendable () -> Timestamp,
        handOver: @escaping @Sendable ([Claim]) -> Void
    ) {
        self.owner = owner
        self.room = room
        self.now = now
        self.handOver = handOver
    }
}
