/// Jobs still in the common order although their queue now has a line.
extension StoreTransaction {
    /// Jobs that `find` finds, without those that belong in lines, which are moved there: jobs of queues that were
    /// configured later, and jobs that fell due. What one claim does not move, the next does: the runner claims again,
    /// since it is told of the moved ones.
    /// - Parameters:
    ///   - limit: the maximum number that `find` finds.
    ///   - governs: whether runnable jobs of a queue wait in its line.
    package func movingIntoLines(
        _ limit: Int, governs: (String) -> Bool, belongs: (StoredJob) -> Bool,
        find: () throws(Failure) -> [StoredJob]
    ) throws(Failure) -> [StoredJob] {
        var moved = 0
        while true {
            let found = try find()
            var others: [StoredJob] = []
            for var job in found {
                guard governs(job.record.queue), belongs(job) else {
                    others.append(job)
                    continue
                }
                let before = job.record
                // What a reader sees of the job changes: what it waits for.
                if job.record.dueAt != nil { job.fallDue() } else { job.record.revision += 1 }
                try save(job, from: before)
                moved += 1
            }
            if others.count == found.count || found.count < limit || moved >= StoreRange.movedMax {
                return others
            }
        }
    }
}
