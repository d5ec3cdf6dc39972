import JobKit
import JobStore

/// The rows of bulk actions: their ids, several in a row, until all are settled, and their results.
struct BulkTable: BulkRows {
    private let connection: PostgresConnection
    private let bulks, parts, results: String

    /// The number of ids in a row of `bulk_part`.
    private static let idsInPart = 4_096
    /// The maximum number of bulk actions that one call removes: each takes a round trip.
    private static let removedMax = 200

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let schema = connection.address.schema
        (bulks, parts, results) = ("\(schema).bulk", "\(schema).bulk_part", "\(schema).bulk_result")
    }

    // MARK: Writing

    func runningCount() throws(PostgresFailure) -> Int {
        try connection.run("LOCK TABLE \(bulks) IN SHARE ROW EXCLUSIVE MODE")
        return Int(try connection.run("SELECT count(*) FROM \(bulks) WHERE state = 0").integer(0, 0))
    }

    func insert(_ bulk: BulkRecord, of ids: [JobID], number: Int64) throws(PostgresFailure) {
        try connection.later(
            BulkRecord.table.numbered.insertion(in: connection.address.schema),
            [.integer(number)] + bulk.parameters)
        if bulk.state != .running { return }
        for (part, start) in stride(from: 0, to: ids.count, by: Self.idsInPart).enumerated() {
            try connection.later(
                "INSERT INTO \(parts) VALUES ($1, $2, $3)",
                [
                    .integer(number), .integer(Int64(part)),
                    .ids(Array(ids[start..<min(start + Self.idsInPart, ids.count)])),
                ])
        }
    }

    /// Locks bulk actions, later, in the order of their ids.
    func lock(_ ids: [BulkID]) throws(PostgresFailure) {
        if ids.isEmpty { return }
        try connection.later(
            "SELECT 1 FROM \(bulks) WHERE id = ANY($1) ORDER BY id FOR UPDATE", [.ids(ids.map(\.bits))])
    }

    func bulk(_ id: BulkID) throws(PostgresFailure) -> (number: Int64, record: BulkRecord)? {
        let rows = try connection.run(
            "SELECT \(BulkRecord.table.list()), number FROM \(bulks) WHERE id = ANY($1) FOR UPDATE",
            [.ids([id.bits])])
        guard rows.count > 0, let bulk: BulkRecord = try rows.record(0) else { return nil }
        return (rows.integer(0, BulkRecord.table.columns.count), bulk)
    }

    func ids(of number: Int64, from place: Int, count: Int) throws(PostgresFailure) -> [JobID] {
        let start = place % Self.idsInPart
        return try connection.run(
            "SELECT unnest(ids[$3:$4]) FROM \(parts) WHERE bulk = $1 AND part = $2",
            [
                .integer(number), .integer(Int64(place / Self.idsInPart)), .integer(Int64(start + 1)),
                .integer(Int64(min(start + count, Self.idsInPart))),
            ]
        ).ids()
    }

    func update(_ number: Int64, to record: BulkRecord) throws(PostgresFailure) {
        try connection.later(
            """
            UPDATE \(bulks) SET state = $2, done = $3, skipped = $4, failed = $5, finished_at = $6, stopped_by = $7 \
            WHERE number = $1
            """, [.integer(number)] + record.parameters.suffix(record.progress.count))
        if record.state != .running {
            try connection.later("DELETE FROM \(parts) WHERE bulk = $1", [.integer(number)])
        }
    }

    func add(_ all: [BulkResult], of number: Int64, from place: Int) throws(PostgresFailure) {
        try connection.later(
            """
            INSERT INTO \(results) SELECT $1, $2 + place - 1, job, outcome, code, detail, made \
            FROM unnest($3::uuid[], $4::bigint[], $5::bytea[], $6::bytea[], $7::text[]) WITH ORDINALITY \
            AS new (job, outcome, code, detail, made, place)
            """,
            [
                .integer(number), .integer(Int64(place)), .ids(all.map(\.job)),
                .integers(all.map(\.outcome.stored)), .raws(all.map(\.code)), .raws(all.map(\.detail)),
                .texts(all.map { $0.made?.description }),
            ])
    }

    /// Removes those that were over before `time`, each after its results, until `limit` rows are gone.
    func remove(before time: Timestamp, limit: Int) throws(PostgresFailure) -> Int {
        let old = try connection.run(
            """
            SELECT number FROM \(bulks) WHERE finished_at < $1 ORDER BY finished_at LIMIT \(Self.removedMax) \
            FOR UPDATE SKIP LOCKED
            """, [.time(time)])
        var removed = 0
        for row in 0..<old.count where removed < limit {
            let number = PostgresValue.integer(old.integer(row, 0))
            removed += try connection.run(
                """
                DELETE FROM \(results) WHERE bulk = $1 AND place = ANY(ARRAY(\
                SELECT place FROM \(results) WHERE bulk = $1 ORDER BY place LIMIT $2))
                """, [number, .integer(Int64(limit - removed))]
            ).changed
            if removed == limit { break }
            try connection.later("DELETE FROM \(bulks) WHERE number = $1", [number])
            removed += 1
        }
        return removed
    }

    // MARK: Reading

    func record(_ id: BulkID) throws(PostgresFailure) -> BulkRecord? {
        try records("WHERE id = ANY($1)", [.ids([id.bits])]).first
    }

    /// Bulk actions before one, the newest first.
    func bulks(before id: BulkID?, limit: Int) throws(PostgresFailure) -> [BulkRecord] {
        let page = PostgresValue.newest(before: id, limit: limit)
        return try records(page.filter, page.values)
    }

    /// Bulk actions that are running, the oldest first.
    func running(limit: Int) throws(PostgresFailure) -> [BulkRecord] {
        try records("WHERE state = 0 ORDER BY number LIMIT $1", [.integer(Int64(limit))])
    }

    private func records(
        _ filter: String, _ values: [PostgresValue]
    ) throws(PostgresFailure) -> [BulkRecord] {
        try connection.run("SELECT \(BulkRecord.table.list()) FROM \(bulks) \(filter)", values).records()
    }

    func results(of id: BulkID, from place: Int, limit: Int) throws(PostgresFailure) -> [BulkResult] {
        let rows = try connection.run(
            """
            SELECT job, outcome, code, detail, made FROM \(results) \
            WHERE bulk = (SELECT number FROM \(bulks) WHERE id = $1) AND place >= $2 ORDER BY place LIMIT $3
            """, [.id(id.bits), .integer(Int64(place)), .integer(Int64(limit))])
        var found: [BulkResult] = []
        for row in 0..<rows.count {
            guard let outcome = BulkResult.Outcome(stored: rows.integer(row, 1)) else {
                throw .damaged("a result of \(id) has the unknown outcome \(rows.integer(row, 1))")
            }
            found.append(
                BulkResult(
                    rows.id(row, 0), outcome, code: rows.optionalText(row, 2),
                    detail: rows.optionalText(row, 3), made: rows.optionalText(row, 4).flatMap { JobID($0) }))
        }
        return found
    }
}
