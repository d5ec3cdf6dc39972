import JobKit
import JobStore

/// The rows of bulk actions: their ids, several in a row, until all are settled, and their results. Rarely used:
/// statements are prepared on demand.
struct BulkTable: BulkRows {
    let connection: SQLiteConnection

    /// The number of ids in a row of `bulk_part`.
    private static let idsInPart = 4_096
    private static let idBytes = 16

    func runningCount() throws(SQLiteFailure) -> Int {
        Int(try connection.number("SELECT count(*) FROM bulk WHERE state = 0") ?? 0)
    }

    /// - Parameter parts: see `parts(of:)`.
    func insert(_ bulk: BulkRecord, parts: [[UInt8]]) throws(SQLiteFailure) {
        try connection.insert(bulk)
        if bulk.state != .running { return }
        let number = try connection.number("SELECT last_insert_rowid()") ?? 0
        let part = try connection.prepare("INSERT INTO bulk_part VALUES (?1, ?2, ?3)")
        for (place, bytes) in parts.enumerated() {
            part.bind(1, number)
            part.bind(2, Int64(place))
            try part.run(with: bytes, at: 3)
        }
    }

    func bulk(_ id: BulkID) throws(SQLiteFailure) -> (number: Int64, record: BulkRecord)? {
        let row = try connection.prepare("SELECT \(BulkRecord.table.list()), number FROM bulk WHERE id = ?1")
        row.bind(1, id.bits)
        defer { row.reset() }
        guard try row.step(), let bulk: BulkRecord = try row.record() else { return nil }
        return (row.integer(Int32(BulkRecord.table.columns.count)), bulk)
    }

    func ids(of number: Int64, from place: Int, count: Int) throws(SQLiteFailure) -> [JobID] {
        let row = try connection.prepare(
            "SELECT substr(ids, ?3, ?4) FROM bulk_part WHERE bulk = ?1 AND part = ?2")
        let start = place % Self.idsInPart
        row.bind(1, number)
        row.bind(2, Int64(place / Self.idsInPart))
        row.bind(3, Int64(start * Self.idBytes + 1))
        row.bind(4, Int64(min(count, Self.idsInPart - start) * Self.idBytes))
        defer { row.reset() }
        return try row.step() ? Self.ids(row.bytes(0)) : []
    }

    func update(_ number: Int64, to record: BulkRecord) throws(SQLiteFailure) {
        let update = try connection.prepare(
            """
            UPDATE bulk SET state = ?2, done = ?3, skipped = ?4, failed = ?5, finished_at = ?6, stopped_by = ?7 \
            WHERE number = ?1
            """)
        update.bind([.number(number)] + record.progress)
        try update.run()
        if record.state == .running { return }
        let delete = try connection.prepare("DELETE FROM bulk_part WHERE bulk = ?1")
        delete.bind(1, number)
        try delete.run()
    }

    func add(_ results: [BulkResult], of number: Int64, from place: Int) throws(SQLiteFailure) {
        let insert = try connection.prepare("INSERT INTO bulk_result VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        for (index, result) in results.enumerated() {
            insert.bind(1, number)
            insert.bind(2, Int64(place + index))
            insert.bind(3, result.job)
            insert.bind(4, result.outcome.stored)
            insert.bind(5, result.code)
            insert.bind(6, result.detail)
            if let made = result.made { insert.bind(7, made) } else { insert.bind(7, Int64?.none) }
            try insert.run()
        }
    }

    /// Removes those that were over before `time`, each after its results, until `limit` rows are gone.
    func remove(before time: Timestamp, limit: Int) throws(SQLiteFailure) -> Int {
        let results = try connection.prepare(
            """
            DELETE FROM bulk_result WHERE bulk = ?1 AND place IN \
            (SELECT place FROM bulk_result WHERE bulk = ?1 ORDER BY place LIMIT ?2)
            """)
        let bulk = try connection.prepare("DELETE FROM bulk WHERE number = ?1")
        var removed = 0
        while removed < limit, let number = try firstOver(before: time) {
            results.bind(1, number)
            results.bind(2, Int64(limit - removed))
            try results.run()
            removed += connection.changedRows
            if removed == limit { break }
            bulk.bind(1, number)
            try bulk.run()
            removed += 1
        }
        return removed
    }

    /// The number of the bulk action that was over first.
    private func firstOver(before time: Timestamp) throws(SQLiteFailure) -> Int64? {
        try connection.number(
            "SELECT number FROM bulk WHERE finished_at < \(time.milliseconds) ORDER BY finished_at LIMIT 1")
    }

    /// The rows of `bulk_part` for these ids. Made before the write, so that the writer need not.
    static func parts(of ids: [JobID]) -> [[UInt8]] {
        stride(from: 0, to: ids.count, by: idsInPart).map { bytes(ids[$0..<min($0 + idsInPart, ids.count)]) }
    }

    private static func bytes(_ ids: ArraySlice<JobID>) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(ids.count * idBytes)
        for id in ids {
            for half in [id.high, id.low] {
                for shift in stride(from: 56, through: 0, by: -8) {
                    bytes.append(UInt8(truncatingIfNeeded: half >> UInt64(shift)))
                }
            }
        }
        return bytes
    }

    private static func ids(_ bytes: [UInt8]) -> [JobID] {
        stride(from: 0, to: bytes.count - idBytes + 1, by: idBytes).map { start in
            let halves = [start, start + 8].map {
                bytes[$0..<$0 + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
            }
            return JobID(high: halves[0], low: halves[1])
        }
    }
}

extension ReaderSession {
    func bulk(_ id: BulkID) throws(SQLiteFailure) -> BulkRecord? {
        let row = try pageStatement("SELECT \(BulkRecord.table.list()) FROM bulk WHERE id = ?1")
        row.bind(1, id.bits)
        return try row.first()
    }

    func bulks(before id: BulkID?, limit: Int) throws(SQLiteFailure) -> [BulkRecord] {
        try newest(BulkRecord.table.list(), of: "bulk", before: id, limit: limit).records()
    }

    func runningBulks(limit: Int) throws(SQLiteFailure) -> [BulkRecord] {
        let rows = try pageStatement(
            "SELECT \(BulkRecord.table.list()) FROM bulk WHERE state = 0 ORDER BY number LIMIT ?1")
        rows.bind(1, Int64(limit))
        return try rows.records()
    }

    /// Selects rows before an id, the newest first.
    func newest(
        _ columns: String, of table: String, before id: (some PrefixedID)?, limit: Int
    ) throws(SQLiteFailure) -> SQLiteStatement {
        let bound = id == nil ? "" : "WHERE id < ?2 "
        let rows = try pageStatement("SELECT \(columns) FROM \(table) \(bound)ORDER BY id DESC LIMIT ?1")
        rows.bind(1, Int64(limit))
        if let id { rows.bind(2, id.bits) }
        return rows
    }

    func results(of id: BulkID, from place: Int, limit: Int) throws(SQLiteFailure) -> [BulkResult] {
        let rows = try pageStatement(
            """
            SELECT job, outcome, code, detail, made FROM bulk_result \
            WHERE bulk = (SELECT number FROM bulk WHERE id = ?1) AND place >= ?2 ORDER BY place LIMIT ?3
            """)
        rows.bind(1, id.bits)
        rows.bind(2, Int64(place))
        rows.bind(3, Int64(limit))
        defer { rows.reset() }
        var found: [BulkResult] = []
        while try rows.step() {
            guard let outcome = BulkResult.Outcome(stored: rows.integer(1)) else {
                throw SQLiteFailure.damaged("a result of \(id) has the unknown outcome \(rows.integer(1))")
            }
            found.append(
                BulkResult(
                    rows.id(0), outcome, code: rows.optionalText(2), detail: rows.optionalText(3),
                    made: rows.isNull(4) ? nil : rows.id(4)))
        }
        return found
    }
}
