package import JobKit

/// The updates of runs.
extension StoreTransaction {
    /// Applies the update of a run; see `RunStore.update`. Frequent, so that each engine has it specialised.
    @inlinable
    package func update(_ update: RunUpdate) throws(Failure) -> Result<Int64, JobStoreError> {
        guard var job = try job(update.claim.id), job.isHeld(fence: update.claim.fence) else {
            return .failure(.staleClaim(update.claim))
        }
        try willUpdate(job, update)
        let (before, flags) = (job.record, job.flags)
        job.noteProgress(in: update)
        var standing = update.standing
        if let asked = standing {
            if try grants.hasNews(for: asked.wakeKeys) { standing = StoredJob.lookingAgain(asked) }
            do throws(JobStoreError) {
                try job.apply(standing ?? asked, latest: update.journal.last?.at)
            } catch {
                return .failure(error)
            }
        }
        // Before the job is written back, which drops the cached end of its journal with its claim.
        try append(update.journal, to: job)
        if !update.taken.isEmpty || !update.freed.isEmpty {
            try note(taken: update.taken, freed: update.freed, of: &job)
        }
        try noteApprovals(in: update.journal, of: &job)
        let uses = update.artifactUses
        if !uses.isEmpty {
            job.flags.insert(.artifact)
            try put(uses, of: job)
        }
        if let summary = update.summary { try put(summary, of: &job) }
        if let standing {
            if !standing.wakeKeys.isEmpty || job.flags.contains(.wake) {
                try wakes.put(standing.wakeKeys, of: &job)
            }
            try save(job, from: before)
            if let result = standing.result { try put(result, of: job) }
        } else if job.noteAttempt(in: update.journal) || job.flags != flags {
            try save(job, from: before)
        } else {
            noteEntries(of: job)
        }
        try didUpdate(job, update)
        return .success(job.record.revision)
    }

    /// Opens, expires and withdraws approvals according to journal entries.
    @inlinable
    package func noteApprovals(in journal: [JournalEntry], of job: inout StoredJob) throws(Failure) {
        // By their places: hardly any entry is of interest, and a copy costs more than to find that out.
        for place in journal.indices where job.flags.contains(.approval) || journal[place].isOfApproval {
            let entry = journal[place]
            switch entry.event {
            case .approvalRequested(let request):
                try approvals.open(
                    ApprovalRecord(
                        request: request, job: job.record.id, path: entry.path, openedAt: entry.at),
                    of: job)
                job.flags.insert(.approval)
            case .approvalExpired(let id, let isApproved):
                try approvals.close(id, as: isApproved ? .approved : .expired, at: entry.at)
            case .started, .finished:
                try approvals.withdraw(of: job, at: entry.path, entry.at)
            default: break
            }
        }
    }
}

extension JournalEntry {
    /// Whether it opens or ends an approval.
    package var isOfApproval: Bool {
        switch event {
        case .approvalRequested, .approvalExpired: true
        default: false
        }
    }
}
