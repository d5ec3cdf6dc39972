import JobKit
import JobStore
import StrictJSON

/// The lines for unique keys of a ledger in a transaction.
struct MemoryUniques: UniqueRows {
    let transaction: MemoryTransaction

    func lock(_ keys: [String]) {}

    func key(of job: StoredJob) -> String? { transaction.ledger.entries[job.record.id]?.uniqueKey }

    func holder(of key: String) -> JobID? { line(of: key).first }

    func last(of key: String) -> JobID? { line(of: key).last }

    func line(of key: String) -> [JobID] { transaction.ledger.lines[ByteKey(key)] ?? [] }

    func put(_ key: String, of job: StoredJob, isOver: Bool) {
        var line = line(of: key)
        if isOver { line.removeAll { $0 == job.record.id } } else { line.append(job.record.id) }
        transaction.ledger.lines[ByteKey(key)] = line.isEmpty ? nil : line
    }
}
