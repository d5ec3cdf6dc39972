package import JobKit

/// The rows of schedules and of their occurrences. A transaction stores the schedules themselves.
package protocol ScheduleRows {
    associatedtype Failure: Error

    /// The number and the revision of a schedule, which no other server changes until the end of the transaction.
    /// - Parameter isNew: whether it is to be added, so that no other server adds one.
    func place(of name: String, isNew: Bool) throws(Failure) -> (number: Int64, revision: Int64)?

    /// The number of schedules.
    func count() throws(Failure) -> Int

    /// One of these planned times that is settled.
    func firstTaken(of times: [Timestamp], _ number: Int64) throws(Failure) -> Timestamp?

    func put(_ occurrences: [Occurrence], of number: Int64) throws(Failure)

    /// Removes a schedule. Its occurrences are shown no more, and removed when they are old.
    func remove(number: Int64) throws(Failure)

    /// Removes up to `limit` occurrences that were decided before `time`, and returns their number.
    func removeOccurrences(before time: Timestamp, limit: Int) throws(Failure) -> Int
}

/// Stores a schedule, or its progress, with the planned times that this settles and their jobs. A planned time has one
/// occurrence: this, and the revision, make sure that each gets one job.
///
/// Refused with `.scheduleMoved` when the schedule has another revision than the expected one, or does not exist;
/// `.occurrenceTaken` when a planned time is settled already; `.full`; `.diskFull` while no jobs are taken.
extension ScheduleChange: RequestWrite {
    /// The schedule, and the planned times that were settled.
    package typealias Reply = ScheduleReceipt

    package var needs: WriteNeeds {
        WriteNeeds(
            ids: replaced.map(\.id), submissions: planned.compactMap(\.job), schedules: [record.name],
            wholes: expected == nil ? [.schedules] : [], parts: [.schedules])
    }

    package var admission: (ids: [JobID], at: Timestamp)? {
        let jobs = planned.compactMap(\.job)
        return jobs.first.map { (isReplayOnly ? [] : jobs.map { $0.record.id }, $0.record.createdAt) }
    }

    package func unmade(by result: Result<ScheduleReceipt, JobStoreError>) -> [JobID] {
        ScheduleReceipt.unmade(admission?.ids ?? [], by: result)
    }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        let replay = try request.flatMap { job throws(Transaction.Failure) in
            try transaction.outcome(known: job)
        }
        if let receipt = ScheduleReceipt(of: self, replay: replay) { return .success(receipt) }
        let known = try transaction.schedules.place(of: record.name, isNew: expected == nil)
        if let refusal = try refusal(of: known, in: transaction) { return .failure(refusal) }
        var outcomes: [Result<SubmitOutcome, JobStoreError>] = []
        var stopping: [RunRequest] = []
        for job in planned.compactMap(\.job) {
            let outcome = try transaction.submit(job)
            if case .success(.replacing(_, let others)) = outcome { stopping += others }
            outcomes.append(outcome)
        }
        stopping += try cancelReplaced(by: outcomes, in: transaction)
        let (record, occurrences) = settled(by: outcomes)
        let number = try transaction.put(record, number: known?.number)
        try transaction.schedules.put(occurrences, of: number)
        return .success(ScheduleReceipt(record: record, occurrences: occurrences, stopping: stopping))
    }

    /// The error for a change that cannot be made; nil when it can.
    private func refusal<Transaction: StoreTransaction>(
        of known: (number: Int64, revision: Int64)?, in transaction: Transaction
    ) throws(Transaction.Failure) -> JobStoreError? {
        guard known?.revision == expected else { return .scheduleMoved(record.name) }
        if let known {
            let times = planned.filter { !$0.replaces }.map(\.occurrence.scheduledFor)
            let taken = try transaction.schedules.firstTaken(of: times, known.number)
            if let taken { return .occurrenceTaken(taken) }
        } else if try transaction.schedules.count() >= transaction.limits.schedulesMax {
            return .schedulesFull(transaction.limits.schedulesMax)
        }
        // The planned times wait until there is space: a refused job would count as left out.
        return planned.contains { $0.job != nil } ? transaction.shortage : nil
    }

    /// Cancels the jobs that give way to a new one of their schedule, if that was stored.
    /// - Returns: the requests to those that run.
    private func cancelReplaced<Transaction: StoreTransaction>(
        by outcomes: [Result<SubmitOutcome, JobStoreError>], in transaction: Transaction
    ) throws(Transaction.Failure) -> [RunRequest] {
        guard replaces(by: outcomes) else { return [] }
        var stopping: [RunRequest] = []
        for request in replaced {
            if case .success(.cancelling) = try request.apply(in: transaction) {
                stopping.append(RunRequest(request))
            }
        }
        return stopping
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) -> ScheduleChange {
        var own = self
        own.record.name = tenant.stored(record.name)
        for index in planned.indices {
            guard var job = planned[index].job else { continue }
            tenant.stamp(&job)
            own.planned[index].job = job
        }
        return own
    }

    package func shown(_ reply: ScheduleReceipt, to tenant: Tenant) -> ScheduleReceipt {
        var reply = reply
        reply.record = tenant.shown(reply.record)
        reply.replay = reply.replay.map { tenant.shown($0) }
        reply.occurrences = reply.occurrences.map { tenant.shown($0) }
        return reply
    }
}

/// Removes a schedule. Its jobs go on.
///
/// Refused with `.missing`; `.moved` when it has another revision.
package struct ScheduleRemoval: RequestWrite {
    /// Nothing but the success.
    package typealias Reply = Void

    package var name: String
    package var revision: Int64

    package init(_ name: String, revision: Int64) {
        self.name = name
        self.revision = revision
    }

    package var needs: WriteNeeds { WriteNeeds(schedules: [name], parts: [.schedules]) }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        guard let known = try transaction.schedules.place(of: name, isNew: false) else {
            return .failure(.noSchedule(name))
        }
        guard known.revision == revision else { return .failure(.scheduleMoved(name)) }
        try transaction.schedules.remove(number: known.number)
        transaction.noteErasure()
        return .success(())
    }

    package func owned(by tenant: Tenant, _ reader: any OwnerReads) -> ScheduleRemoval {
        ScheduleRemoval(tenant.stored(name), revision: revision)
    }

    package func shown(_ reply: Void, to tenant: Tenant) {}
}
