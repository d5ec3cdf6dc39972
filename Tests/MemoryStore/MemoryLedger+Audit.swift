import JobKit
import JobStore

extension MemoryLedger {
    /// Runs a write, and adds its record when it succeeds and, for one of a job, changes something.
    mutating func audit<Value>(
        _ draft: AuditDraft, _ body: (inout MemoryLedger) throws(JobStoreError) -> Value
    ) throws(JobStoreError) -> Value {
        try run { transaction in
            transaction.recording(draft) { own in
                Result { () throws(JobStoreError) in try body(&own.ledger) }
            }
        }
    }

    mutating func add(_ record: AuditRecord) {
        var record = record
        record.number = (audits.last?.number ?? 0) + 1
        audits.append(record)
    }
}

/// The records of a ledger in a transaction.
struct MemoryAudits: AuditRows {
    let transaction: MemoryTransaction

    func body(of draft: AuditDraft) -> [UInt8]? {
        let name = draft.record.target
        return switch draft.body {
        case .setting(let kind): transaction.ledger.settings[kind]?[name]?.body
        case .template: transaction.ledger.templates[name]?.last?.body
        case .schedule: transaction.ledger.schedules[name]?.record.body
        case nil: nil
        }
    }

    func remove(before time: Timestamp, limit: Int) -> Int {
        let old = transaction.ledger.audits.prefix(limit).prefix { $0.at < time }.count
        transaction.ledger.audits.removeFirst(old)
        return old
    }
}
