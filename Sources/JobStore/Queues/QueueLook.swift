package import JobKit

/// The lines of queues with a configuration, at one moment.
package protocol QueueView {
    associatedtype Failure: Error

    /// A gate that knows the lines.
    /// - Parameter queue: the one that matters; nil is all.
    func gate(of queue: String?, now: Timestamp) throws(Failure) -> QueueGate

    /// The standing of a job in the line of its queue; nil when it waits in none.
    func standing(of id: JobID, now: Timestamp) throws(Failure) -> QueuedJob?
}

/// A question about the lines of queues.
package protocol QueueLook: Sendable {
    associatedtype Answer: Sendable

    func answer<View: QueueView>(by view: View) throws(View.Failure) -> Answer

    /// The question with the stored names of what a tenant names.
    func owned(by tenant: Tenant) -> Self

    /// The tenant's part of the answer, with the names that it knows.
    func shown(_ answer: Answer, to tenant: Tenant) -> Answer
}

/// Asks for the state of each queue that has a configuration, or had one and still has jobs in its line.
package struct AllQueues: QueueLook {
    package var now: Timestamp

    package init(at now: Timestamp) { self.now = now }

    package func answer<View: QueueView>(by view: View) throws(View.Failure) -> [QueueStanding] {
        try view.gate(of: nil, now: now).standings(now: now)
    }

    package func owned(by tenant: Tenant) -> AllQueues { self }

    package func shown(_ answer: [QueueStanding], to tenant: Tenant) -> [QueueStanding] {
        tenant.shown(answer)
    }
}

/// Asks for up to `limit` keys of such a queue, those with the most jobs first.
package struct BusiestKeys: QueueLook {
    package var queue: String
    package var limit: Int
    package var now: Timestamp

    package init(of queue: String, limit: Int, at now: Timestamp) {
        self.queue = queue
        self.limit = StoreRange.batch(limit)
        self.now = now
    }

    package func answer<View: QueueView>(by view: View) throws(View.Failure) -> [QueueKeyStanding] {
        try view.gate(of: queue, now: now).busiestKeys(of: queue, limit, now: now)
    }

    package func owned(by tenant: Tenant) -> BusiestKeys {
        BusiestKeys(of: tenant.stored(queue), limit: limit, at: now)
    }

    package func shown(_ answer: [QueueKeyStanding], to tenant: Tenant) -> [QueueKeyStanding] { answer }
}

/// Asks for the standing of a job in the line of its queue; nil when it waits in none.
package struct LineStanding: QueueLook {
    package var id: JobID
    package var now: Timestamp

    package init(of id: JobID, at now: Timestamp) {
        self.id = id
        self.now = now
    }

    package func answer<View: QueueView>(by view: View) throws(View.Failure) -> QueuedJob? {
        try view.standing(of: id, now: now)
    }

    package func owned(by tenant: Tenant) -> LineStanding { self }

    package func shown(_ answer: QueuedJob?, to tenant: Tenant) -> QueuedJob? {
        guard var job = answer, tenant.owns(job.queue) else { return nil }
        job.queue = tenant.shown(job.queue)
        return job
    }
}

/// Queues with their limits. Their configurations are settings (`SettingKind.queue`).
package protocol QueueStore: Sendable {
    /// Answers a question about their lines.
    func look<Look: QueueLook>(_ look: Look, reply: @escaping StoreReply<Look.Answer>)

    /// Calls `observer` after each commit that leaves jobs in lines, with the time from which one of them may begin:
    /// when that depends on time alone. On a thread of the store; must not block.
    func observeOpenings(_ observer: @escaping @Sendable (Timestamp) -> Void)
}
