package import JobKit

/// Somebody who takes jobs as soon as they are runnable, without asking for each.
package struct ClaimOffer: Sendable {
    /// The name of the owner in claims.
    package var owner: String
    /// How long a claim holds without being renewed.
    package var lease: Duration
    /// What time it is.
    package var now: @Sendable () -> Timestamp
    /// Keeps room for jobs and says for how many, 0…10,000. Called on a thread of the store, at most once before
    /// `take` is called.
    package var makeRoom: @Sendable () -> Int
    /// Takes jobs, after their claims are durable, and the room that was kept for them; more room than jobs is free
    /// again. Called on a thread of the store after every room that is not 0, with no jobs when there are none. It
    /// must not block.
    package var take: @Sendable (_ jobs: [Claim], _ room: Int) -> Void

    /// An offer to take jobs.
    package init(
        owner: String, lease: Duration, now: @escaping @Sendable () -> Timestamp,
        makeRoom: @escaping @Sendable () -> Int, take: @escaping @Sendable ([Claim], Int) -> Void
    ) {
        self.owner = owner
        self.lease = lease
        self.now = now
        self.makeRoom = makeRoom
        self.take = take
    }
}
