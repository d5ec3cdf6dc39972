import JobKit
import JobStore

/// The statements that read and write the rows of a `StoredTable` in SQLite, where jobs are known by number.
struct SQLiteCopyTable {
    let table: StoredTable
    let select, insert, count: String

    /// Names that differ here.
    static let names = [
        "waiter": "uniqueness", "approval.approves_late": "on_timeout", "queue_rate.key": "queue_key",
    ]

    init(_ table: StoredTable) {
        self.table = table
        switch table.name {
        case "journal":
            select = """
                SELECT job.id, journal.place & \(JournalPlace.sequenceMax), journal.bytes FROM journal CROSS JOIN job \
                ON job.number = journal.place >> \(JournalPlace.sequenceBits) ORDER BY journal.place
                """
            insert = """
                INSERT INTO journal \
                VALUES ((SELECT number FROM job WHERE id = ?1) << \(JournalPlace.sequenceBits) | ?2, ?3)
                """
            count = "SELECT count(*) FROM journal"
        case "summary":
            select = """
                SELECT job.id, summary.place & \(JournalPlace.sequenceMax), summary.bytes FROM summary \
                CROSS JOIN job ON job.number = summary.number
                """
            insert = """
                INSERT INTO summary SELECT number, number << \(JournalPlace.sequenceBits) | ?2, ?3 FROM job WHERE id = ?1
                """
            count = "SELECT count(*) FROM summary"
        case "idempotency":
            // A row without a number has the id behind the fingerprint; see `IdempotencyTable`.
            select = """
                SELECT idempotency.key, coalesce(job.id, substr(fingerprint, -16)), \
                CASE WHEN idempotency.number = 0 THEN substr(fingerprint, 1, length(fingerprint) - 16) \
                ELSE fingerprint END, idempotency.expires_at FROM idempotency \
                LEFT JOIN job ON job.number = idempotency.number \
                WHERE idempotency.number = 0 OR job.number IS NOT NULL
                """
            insert = """
                INSERT INTO idempotency SELECT ?1, coalesce(owner, 0), \
                CASE WHEN owner IS NULL THEN CAST(?3 || ?2 AS BLOB) ELSE ?3 END, ?4 \
                FROM (SELECT (SELECT number FROM job WHERE id = ?2 AND idempotency_key = ?1) AS owner)
                """
            count = "SELECT count(*) FROM idempotency"
        case DeliveryRecord.table.name:
            select = "SELECT \(table.list()) FROM delivery ORDER BY number"
            insert = DeliveryPlace.insertion
            count = "SELECT count(*) FROM delivery"
        default:
            let home = Self.names[table.name] ?? table.name
            let columns = table.columns.map { column in
                let name = "\(table.name).\(column.name)"
                return StoredTable.references.contains(name) ? "number" : Self.names[name] ?? column.name
            }
            let isReference = table.columns.map {
                StoredTable.references.contains("\(table.name).\($0.name)")
            }
            let values = zip(columns, isReference).map { name, isReference in
                isReference ? "job.id" : "\(home).\"\(name)\""
            }
            let jobs = isReference.contains(true) ? " CROSS JOIN job ON job.number = \(home).number" : ""
            select = "SELECT \(values.joined(separator: ", ")) FROM \(home)\(jobs)"
            let marks = isReference.enumerated().map { place, isReference in
                isReference ? "(SELECT number FROM job WHERE id = ?\(place + 1))" : "?\(place + 1)"
            }
            let quoted = columns.map { "\"\($0)\"" }
            insert = """
                INSERT INTO \(home) (\(quoted.joined(separator: ", "))) VALUES (\(marks.joined(separator: ", ")))
                """
            count = "SELECT count(*) FROM \(home)"
        }
    }

    /// The parameters of `insert` for a row.
    func parameters(_ row: [StoredValue]) -> [StoredValue] {
        guard table.name == DeliveryRecord.table.name, case .id(let id)? = row.first else { return row }
        return row + [.number(DeliveryPlace.number(of: DeliveryID(bits: id)))]
    }
}
