/// Jobs still in the common order although their queue now has a line.
extension StoreTransaction {
    /// Jobs that `find` finds, without those that belong in lines, which are moved there: jobs of queues that were
    /// configured later, and jobs that fell due.
    /// - Parameters:
    ///   - limit: the maximum number that `find` finds.
    ///   - governs: whether runnable jobs of a queue wait in its line.
    ///   - askAgain: called with the last job when more may have to be moved than one claim does.
    package func movingIntoLines(
        _ limit: Int, governs: (String) -> Bool, belongs: (StoredJob) -> Bool,
        find: () throws(Failure) -> [StoredJob], askAgain: (StoredJob) -> Void
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
                if job.record.dueAt != nil { job.fallDue() }
                try save(job, from: before)
                moved += 1
            }
            if others.count == found.count || found.count < limit { return others }
            if moved >= StoreRange.movedMax {
                if let last = found.last { askAgain(last) }
                return others
            }
        }
    }
}
