import JobKit
import JobStore

// DESIGN
// A job with callbacks that ends leaves a row behind in the transaction that ends it, whoever ends it: a run, a person,
// a clock, another job. The engine makes the jobs that tell of it, and they are stored in the transaction that removes
// the row. So each end is told of once, and none is forgotten.

/// Jobs that tell of the ends of others.
extension WriterSession {
    func submit(callbacks: [JobCallbacks]) throws(SQLiteFailure) -> Result<Int, JobStoreError> {
        var count = 0
        for callback in callbacks {
            try insertRows()
            calls.settle.bind(1, callback.end.id)
            calls.settle.bind(2, callback.end.revision)
            try calls.settle.run()
            guard connection.changedRows > 0 else { continue }
            for job in callback.jobs {
                if case .success = try insert(job) { count += 1 }
            }
        }
        return .success(count)
    }

    /// Notes that somebody is to be told of a job's end.
    func noteEnd(of job: StoredJob) throws(SQLiteFailure) {
        calls.put.bind(1, job.number)
        calls.put.bind(2, job.record.revision)
        try calls.put.run()
    }

    /// Forgets the end of a job that is tried again or erased.
    func forgetEnd(of number: Int64) throws(SQLiteFailure) {
        calls.delete.bind(1, number)
        try calls.delete.run()
    }
}
