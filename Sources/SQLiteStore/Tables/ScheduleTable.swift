import JobKit
import JobStore

/// The rows of schedules. Most servers have none: statements are prepared on demand.
struct ScheduleTable: ScheduleRows {
    let connection: SQLiteConnection

    func place(of name: String, isNew: Bool) throws(SQLiteFailure) -> (number: Int64, revision: Int64)? {
        let row = try connection.prepare("SELECT number, revision FROM schedule WHERE name = ?1")
        row.bind(1, name)
        defer { row.reset() }
        return try row.step() ? (row.integer(0), row.integer(1)) : nil
    }

    func count() throws(SQLiteFailure) -> Int {
        Int(try connection.number("SELECT count(*) FROM schedule") ?? 0)
    }

    /// Stores a schedule, and returns its number.
    /// - Parameter number: of the stored schedule that it replaces.
    func put(_ record: ScheduleRecord, number: Int64?) throws(SQLiteFailure) -> Int64 {
        try connection.run(
            ScheduleRecord.table.numbered.insertion(replacing: "number"), [.init(number)] + record.values)
        if let number { return number }
        return try connection.number("SELECT last_insert_rowid()") ?? 0
    }

    func remove(number: Int64) throws(SQLiteFailure) {
        let delete = try connection.prepare("DELETE FROM schedule WHERE number = ?1")
        delete.bind(1, number)
        try delete.run()
    }

    // MARK: Occurrences

    func firstTaken(of times: [Timestamp], _ number: Int64) throws(SQLiteFailure) -> Timestamp? {
        if times.isEmpty { return nil }
        let row = try connection.prepare("SELECT 1 FROM occurrence WHERE schedule = ?1 AND planned = ?2")
        row.bind(1, number)
        defer { row.reset() }
        for planned in times {
            row.reset()
            row.bind(2, planned)
            if try row.step() { return planned }
        }
        return nil
    }

    func put(_ occurrences: [Occurrence], of number: Int64) throws(SQLiteFailure) {
        if occurrences.isEmpty { return }
        let insert = try connection.prepare(
            "INSERT OR REPLACE INTO occurrence VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        for occurrence in occurrences {
            insert.bind(1, number)
            insert.bind(2, occurrence.scheduledFor)
            insert.bind(3, occurrence.origin.stored)
            if let job = occurrence.job { insert.bind(4, job) } else { insert.bind(4, Int64?.none) }
            var reason: (Occurrence.Reason, String?)?
            if case .skipped(let why, let detail) = occurrence.outcome { reason = (why, detail) }
            insert.bind(5, reason?.0.stored)
            insert.bind(6, reason?.1)
            insert.bind(7, occurrence.decidedAt)
            try insert.run()
        }
    }

    func removeOccurrences(before time: Timestamp, limit: Int) throws(SQLiteFailure) -> Int {
        let delete = try connection.prepare(
            """
            DELETE FROM occurrence WHERE (schedule, planned) IN \
            (SELECT schedule, planned FROM occurrence WHERE decided_at < ?1 ORDER BY decided_at LIMIT ?2)
            """)
        delete.bind(1, time)
        delete.bind(2, Int64(limit))
        try delete.run()
        return connection.changedRows
    }
}

extension ReaderSession {
    func schedule(_ name: String) throws(SQLiteFailure) -> ScheduleRecord? {
        let row = try pageStatement("SELECT \(ScheduleRecord.table.list()) FROM schedule WHERE name = ?1")
        row.bind(1, name)
        return try row.first()
    }

    func schedules(after: String, limit: Int) throws(SQLiteFailure) -> [ScheduleRecord] {
        let rows = try pageStatement(
            "SELECT \(ScheduleRecord.table.list()) FROM schedule WHERE name > ?1 ORDER BY name LIMIT ?2")
        rows.bind(1, after)
        rows.bind(2, Int64(limit))
        return try rows.records()
    }

    func schedulesToWake(limit: Int) throws(SQLiteFailure) -> [ScheduleRecord] {
        let rows = try pageStatement(
            """
            SELECT \(ScheduleRecord.table.list()) FROM schedule WHERE wake_at IS NOT NULL ORDER BY wake_at LIMIT ?1
            """)
        rows.bind(1, Int64(limit))
        return try rows.records()
    }

    func occurrences(of name: String, _ query: OccurrenceQuery) throws(SQLiteFailure) -> [Occurrence] {
        let rows = try pageStatement(
            """
            SELECT planned, origin, job, reason, detail, decided_at FROM occurrence \
            WHERE schedule = (SELECT number FROM schedule WHERE name = ?1) AND planned >= ?2 AND planned <= ?3 \
            ORDER BY planned \(query.isLatestFirst ? "DESC" : "ASC") LIMIT ?4
            """)
        rows.bind(1, name)
        rows.bind(2, query.from)
        rows.bind(3, query.to)
        rows.bind(4, Int64(StoreRange.batch(query.limit)))
        defer { rows.reset() }
        var found: [Occurrence] = []
        while try rows.step() { found.append(try Occurrence(row: rows)) }
        return found
    }
}

extension Occurrence {
    /// Reads the current row of `ReaderSession.occurrences`.
    fileprivate init(row: SQLiteStatement) throws(SQLiteFailure) {
        let planned = Timestamp(milliseconds: row.integer(0))
        let outcome: Outcome
        if row.isNull(2) {
            guard let reason = Reason(stored: row.integer(3)) else {
                throw SQLiteFailure.damaged("an occurrence has the unknown reason \(row.integer(3))")
            }
            outcome = .skipped(reason, detail: row.optionalText(4))
        } else {
            outcome = .job(row.id(2))
        }
        guard let origin = Origin(stored: row.integer(1)) else {
            throw SQLiteFailure.damaged("an occurrence has the unknown origin \(row.integer(1))")
        }
        self.init(
            scheduledFor: planned, origin: origin, outcome: outcome,
            decidedAt: Timestamp(milliseconds: row.integer(5)))
    }
}
