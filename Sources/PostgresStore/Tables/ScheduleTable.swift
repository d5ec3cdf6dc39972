import JobKit
import JobStore

/// Schedules, and their planned times with the job or the reason for none.
struct ScheduleTable: ScheduleRows {
    private let connection: PostgresConnection
    private let table, occurrences: String
    private static let columns = ScheduleRecord.table.list()

    init(_ connection: PostgresConnection) {
        self.connection = connection
        table = "\(connection.address.schema).schedule"
        occurrences = "\(connection.address.schema).occurrence"
    }

    func place(
        of name: String, isNew: Bool
    ) throws(PostgresFailure) -> (number: Int64, revision: Int64)? {
        if let known = try locked(name) { return known }
        guard isNew else { return nil }
        try connection.run("LOCK TABLE \(table) IN SHARE ROW EXCLUSIVE MODE")
        return try locked(name)
    }

    private func locked(_ name: String) throws(PostgresFailure) -> (number: Int64, revision: Int64)? {
        let rows = try connection.run(
            "SELECT number, revision FROM \(table) WHERE name = ANY($1) FOR UPDATE", [.raws([name])])
        return rows.count == 0 ? nil : (rows.integer(0, 0), rows.integer(0, 1))
    }

    /// Locks schedules, later, in the order of their names.
    func lock(_ names: [String]) throws(PostgresFailure) {
        if names.isEmpty { return }
        try connection.later(
            "SELECT 1 FROM \(table) WHERE name = ANY($1) ORDER BY name FOR UPDATE", [.raws(names)])
    }

    func count() throws(PostgresFailure) -> Int {
        Int(try connection.run("SELECT count(*) FROM \(table)").integer(0, 0))
    }

    func put(_ record: ScheduleRecord, number: Int64) throws(PostgresFailure) {
        try connection.run(
            ScheduleRecord.table.numbered.replacement(in: connection.address.schema, of: "number"),
            [.integer(number)] + record.parameters)
    }

    func remove(number: Int64) throws(PostgresFailure) {
        try connection.run("DELETE FROM \(table) WHERE number = $1", [.integer(number)])
    }

    func schedule(_ name: String) throws(PostgresFailure) -> ScheduleRecord? {
        let rows = try connection.run(
            "SELECT \(Self.columns) FROM \(table) WHERE name = ANY($1)", [.raws([name])])
        return rows.count == 0 ? nil : try rows.record(0)
    }

    func schedules(after: String, limit: Int) throws(PostgresFailure) -> [ScheduleRecord] {
        try connection.run(
            "SELECT \(Self.columns) FROM \(table) WHERE name > $1 ORDER BY name LIMIT $2",
            [.raw(after), .integer(Int64(limit))]
        ).records()
    }

    func toWake(limit: Int) throws(PostgresFailure) -> [ScheduleRecord] {
        try connection.run(
            "SELECT \(Self.columns) FROM \(table) WHERE wake_at IS NOT NULL ORDER BY wake_at, number LIMIT $1",
            [.integer(Int64(limit))]
        ).records()
    }

    // MARK: Occurrences

    func firstTaken(of times: [Timestamp], _ number: Int64) throws(PostgresFailure) -> Timestamp? {
        if times.isEmpty { return nil }
        let rows = try connection.run(
            "SELECT planned FROM \(occurrences) WHERE schedule = $1 AND planned = ANY($2) ORDER BY planned LIMIT 1",
            [.integer(number), .times(times)])
        return rows.count == 0 ? nil : rows.time(0, 0)
    }

    func put(_ list: [Occurrence], of number: Int64) throws(PostgresFailure) {
        for occurrence in list {
            var reason: (Occurrence.Reason, String?)?
            if case .skipped(let why, let detail) = occurrence.outcome { reason = (why, detail) }
            try connection.run(
                """
                INSERT INTO \(occurrences) VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (schedule, planned) \
                DO UPDATE SET origin = excluded.origin, job = excluded.job, reason = excluded.reason, \
                detail = excluded.detail, decided_at = excluded.decided_at
                """,
                [
                    .integer(number), .time(occurrence.scheduledFor), .integer(occurrence.origin.stored),
                    .id(occurrence.job), .integer(reason?.0.stored), .raw(reason?.1),
                    .time(occurrence.decidedAt),
                ])
        }
    }

    func list(of name: String, _ query: OccurrenceQuery) throws(PostgresFailure) -> [Occurrence] {
        let rows = try connection.run(
            """
            SELECT planned, origin, job, reason, detail, decided_at FROM \(occurrences) \
            WHERE schedule = ANY(ARRAY(SELECT number FROM \(table) WHERE name = ANY($1))) \
            AND planned >= $2 AND planned <= $3 ORDER BY planned \(query.isLatestFirst ? "DESC" : "ASC") LIMIT $4
            """,
            [
                .raws([name]), .time(query.from), .time(query.to),
                .integer(Int64(StoreRange.batch(query.limit))),
            ])
        var found: [Occurrence] = []
        for row in 0..<rows.count {
            guard let occurrence = Occurrence(rows, row) else {
                throw .damaged("an occurrence of the schedule \(name) has an unknown reason or origin")
            }
            found.append(occurrence)
        }
        return found
    }

    func removeOccurrences(before time: Timestamp, limit: Int) throws(PostgresFailure) -> Int {
        try connection.run(
            """
            DELETE FROM \(occurrences) WHERE ctid = ANY(ARRAY(SELECT ctid FROM \(occurrences) \
            WHERE decided_at < $1 ORDER BY decided_at LIMIT $2 FOR UPDATE SKIP LOCKED))
            """, [.time(time), .integer(Int64(limit))]
        ).changed
    }
}

extension Occurrence {
    /// One row of a list; nil for a reason or an origin that this program does not know.
    fileprivate init?(_ rows: PostgresRows, _ row: Int) {
        guard let origin = Origin(stored: rows.integer(row, 1)) else { return nil }
        var outcome = Outcome.job(rows.id(row, 2))
        if rows.isNull(row, 2) {
            guard let reason = Reason(stored: rows.integer(row, 3)) else { return nil }
            outcome = .skipped(reason, detail: rows.optionalText(row, 4))
        }
        self.init(
            scheduledFor: Timestamp(milliseconds: rows.integer(row, 0)), origin: origin, outcome: outcome,
            decidedAt: Timestamp(milliseconds: rows.integer(row, 5)))
    }
}
