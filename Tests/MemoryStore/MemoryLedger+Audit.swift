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

    mutating func removeAudits(before time: Timestamp, limit: Int) -> Int {
        let old = audits.prefix(limit).prefix { $0.at < time }.count
        audits.removeFirst(old)
        return old
    }

    func auditedBody(of draft: AuditDraft) -> [UInt8]? {
        let name = draft.record.target
        return switch draft.body {
        case .setting(let kind): settings[kind]?[name]?.body
        case .template: templates[name]?.last?.body
        case .schedule: schedules[name]?.record.body
        case nil: nil
        }
    }
}
