package import JobKit

// DESIGN
// A job that may run at once is stored and claimed in one transaction when a runner has a free slot: one row is written
// instead of two, one commit is awaited instead of two, and no thread has to be woken for a claim. The job jumps no
// queue: a store does so only while no other job of its tenant is claimable.

/// A runner that takes jobs that the store claims for it: new ones in the commit that stores them, and jobs in the line
/// of a queue in the commit that makes room for them.
package final class JobArrivals: Sendable {
    /// The owner of the claims.
    package let owner: OwnerID
    package let now: @Sendable () -> Timestamp
    /// Called with claimed jobs after the commit that made them durable, and before it with those that may run first.
    package let handOver: @Sendable ([Claim]) -> Void
    /// The slots of the runner.
    package let room: RunSlots

    /// The maximum number of jobs in lines that one commit claims for it.
    package static let linedMax = 16

    /// - Parameters:
    ///   - owner: the owner of the claims.
    ///   - room: the slots of the runner.
    ///   - now: the current time. On any thread.
    ///   - handOver: called with claimed jobs after the commit that made them durable, and before it with those that
    ///     may run first (`NewJob.mayRunFirst`), on a thread of the store or of the submitter. Each has taken one slot.
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
