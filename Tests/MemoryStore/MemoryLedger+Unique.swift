import JobKit
import JobStore
import StrictJSON

/// Unique keys; see `WriterSession+Unique`.
extension MemoryLedger {
    /// The job that a submission joins, when no job is to be created.
    func joined(by unique: UniqueClaim) throws(JobStoreError) -> JobRecord? {
        guard let line = lines[ByteKey(unique.key)], let holder = line.first, let last = line.last else {
            return nil
        }
        switch unique.onConflict {
        case .reject: throw .uniqueTaken(by: holder)
        case .join: return entries[last]?.job.record
        case .replace, .wait: return nil
        }
    }

    /// Adds a new job at the end of the line for its key; it waits when another job is ahead.
    mutating func enter(_ job: inout StoredJob, _ unique: UniqueClaim) {
        job.flags.insert(.unique)
        if let holder = lines[ByteKey(unique.key)]?.first { job.awaitTurn(for: unique.key, behind: holder) }
        lines[ByteKey(unique.key), default: []].append(job.record.id)
    }

    /// Cancels all jobs in line ahead of a new one that is stored already, and returns the stops of those in flight.
    mutating func replace(before id: JobID, _ unique: UniqueClaim) throws(JobStoreError) -> [RunRequest] {
        var stopping: [RunRequest] = []
        for other in (lines[ByteKey(unique.key)] ?? []).reversed() where other != id {
            guard let record = entries[other]?.job.record else { continue }
            let request = unique.stopping(record)
            if case .cancelling = try run({ request.apply(in: $0) }) { stopping.append(RunRequest(request)) }
        }
        return stopping
    }

    /// Claims the key again for a retry. Returns the holder when that is another job.
    mutating func enterAgain(_ id: JobID) -> JobID? {
        guard let key = entries[id]?.uniqueKey else { return nil }
        if let holder = lines[ByteKey(key)]?.first { return holder }
        lines[ByteKey(key)] = [id]
        return nil
    }

    /// Ends a job's place in the line, so that the next one may start.
    mutating func leaveLine(_ job: StoredJob) {
        let id = job.record.id
        guard let key = entries[id]?.uniqueKey, var line = lines[ByteKey(key)] else { return }
        line.removeAll { $0 == id }
        lines[ByteKey(key)] = line.isEmpty ? nil : line
        guard let first = line.first, var next = entries[first]?.job, next.flags.contains(.turn) else {
            return
        }
        next.takeTurn(at: job.record.finishedAt ?? job.record.createdAt)
        put(next)
    }
}
