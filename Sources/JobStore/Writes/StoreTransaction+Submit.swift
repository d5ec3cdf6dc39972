internal import JobKit
internal import StrictJSON

extension StoreTransaction {
    /// The most frequent write, so that each engine has it specialised.
    @inlinable
    package func submit(_ new: NewJob) throws(Failure) -> Result<SubmitOutcome, JobStoreError> {
        if let known = try outcome(known: new) { return .success(known) }
        if let shortage { return .failure(shortage) }
        guard unfinished < limits.unfinishedJobsMax else {
            return .failure(.queueFull(limits.unfinishedJobsMax))
        }
        if let refusal = try lineRefusal(of: new) { return .failure(refusal) }
        if let refusal = try uploads.refusal(of: new) { return .failure(refusal) }
        if let unique = new.unique, let refusal = try refusal(of: unique) {
            if let claim = new.idempotency, case .success(.joined(let holder)) = refusal {
                try keep(claim, for: holder.id)
            }
            return refusal
        }
        return try insert(new)
    }

    /// Stores jobs of the write's needs, each as `submit` does; see `SubmissionStore`.
    package func submit(
        _ jobs: [NewJob], isAtomic: Bool
    ) throws(Failure) -> Result<BatchOutcome, JobStoreError> {
        if isAtomic, let refusal = try refusal(of: jobs) { return .failure(refusal) }
        var items: [Result<SubmitOutcome, JobStoreError>] = []
        items.reserveCapacity(jobs.count)
        for job in jobs {
            let outcome = try submit(job)
            if items.isEmpty, case .success(.keyReused(let holder)) = outcome {
                return .success(.keyReused(holder))
            }
            items.append(outcome)
        }
        return .success(.items(items))
    }

    /// The reason why these jobs cannot all be stored; nil when they can.
    private func refusal(of jobs: [NewJob]) throws(Failure) -> JobStoreError? {
        var fresh: [NewJob] = []
        var ids: Set<JobID> = []
        var holders: [ByteKey: JobID] = [:]
        for job in jobs {
            if try outcome(known: job) != nil { continue }
            guard ids.insert(job.record.id).inserted, try !has(job.record.id) else {
                return .duplicateID(job.record.id)
            }
            fresh.append(job)
            if let shortage { return shortage }
            if let refusal = try uploads.refusal(of: job) { return refusal }
            guard let unique = job.unique else { continue }
            let key = ByteKey(unique.key)
            if unique.onConflict == .reject, let holder = holders[key] { return .uniqueTaken(by: holder) }
            if case .failure(let error) = try refusal(of: unique) { return error }
            holders[key] = holders[key] ?? job.record.id
        }
        if let refusal = try lineRefusal(of: fresh) { return refusal }
        return unfinished + fresh.count > limits.unfinishedJobsMax
            ? .queueFull(limits.unfinishedJobsMax) : nil
    }
}
