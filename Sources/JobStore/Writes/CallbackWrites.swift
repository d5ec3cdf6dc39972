/// Stores the callback jobs of ends, and removes these ends from `CallbackReads.endsToTell`.
///
/// An end whose callbacks are stored already, or whose job was retried or erased meanwhile, stores nothing.
/// `StoreLimits.unfinishedJobsMax` does not apply, since these jobs were accepted with the others.
package struct CallbackSubmission: StoreWrite {
    /// The number of jobs that were stored.
    package typealias Reply = Int

    package var callbacks: [JobCallbacks]

    package init(_ callbacks: [JobCallbacks]) { self.callbacks = callbacks }

    private var jobs: [NewJob] { callbacks.flatMap(\.jobs) }

    package var needs: WriteNeeds {
        var needs = WriteNeeds(submissions: jobs)
        needs.ends = callbacks.map(\.end.id)
        return needs
    }

    /// With rows for the size: the jobs are never refused for it.
    package var rows: Int {
        let jobs = jobs
        return callbacks.count + jobs.count + jobs.reduce(0) { $0 + $1.bytes } / WriteCost.row
    }

    package func apply<Transaction: StoreTransaction>(
        in transaction: Transaction
    ) throws(Transaction.Failure) -> Result<Reply, JobStoreError> {
        var count = 0
        for callback in callbacks where try transaction.settle(callback.end) {
            for job in callback.jobs {
                if case .success = try transaction.insert(job) { count += 1 }
            }
        }
        return .success(count)
    }
}
