import JobKit
import JobStore

/// Keys that one unfinished job has at a time; see `WriterSession+Unique`.
extension MemoryLedger {
    /// The job that a submission joins, when no job is to be made.
    func joined(by unique: UniqueClaim) throws(JobStoreError) -> JobRecord? {
        guard let line = lines[unique.key], let holder = line.first, let last = line.last else { return nil }
        switch unique.onConflict {
        case .reject: throw .uniqueTaken(by: holder)
        case .join: return entries[last]?.job.record
        case .replace, .queue: return nil
        }
    }

    /// Puts a new job at the end of the line for its key; it waits when somebody stands before it.
    mutating func enter(_ job: inout StoredJob, _ unique: UniqueClaim) {
        job.flags.insert(.unique)
        if let holder = lines[unique.key]?.first { job.awaitTurn(detail: unique.waiting(holder)) }
        lines[unique.key, default: []].append(job.record.id)
    }

    /// Stops all who stand in line before a new job that is stored already; those in flight are to be told.
    mutating func replace(before id: JobID, _ unique: UniqueClaim) throws(JobStoreError) -> [JobID] {
        var inFlight: [JobID] = []
        for other in (lines[unique.key] ?? []).reversed() where other != id {
            guard let record = entries[other]?.job.record else { continue }
            if case .cancelling = try cancel(unique.stopping(record)) { inFlight.append(other) }
        }
        return inFlight
    }

    /// Another try takes the key again, when no other job has it.
    mutating func enterAgain(_ id: JobID) throws(JobStoreError) {
        guard let key = entries[id]?.uniqueKey else { return }
        if let holder = lines[key]?.first { throw .uniqueTaken(by: holder) }
        lines[key] = [id]
    }

    /// A job with a unique key is over: the next in line may start.
    mutating func leaveLine(_ job: StoredJob) {
        let id = job.record.id
        guard let key = entries[id]?.uniqueKey, var line = lines[key] else { return }
        line.removeAll { $0 == id }
        lines[key] = line.isEmpty ? nil : line
        guard let first = line.first, var next = entries[first]?.job, next.flags.contains(.turn) else {
            return
        }
        next.takeTurn(at: job.record.finishedAt ?? job.record.createdAt)
        put(next)
    }
}
