import JobKit
import JobStore

// DESIGN
// Every commit of a server inserts one row into `landed`: the receipt that it was made, the changes of the counts of
// jobs, and the jobs that it changed, for the other servers. Rows are numbered by their server, which commits in order,
// so that a reader goes on after the last one that it saw. No row is shared by servers: the counts are the sum of
// `tally` and all rows. Now and then one server adds old rows to `tally` and removes them, when their ends are in the
// statistics. It begins at the first row of each server that is left, from the last one on: while a snapshot is held
// back, the rows that were removed stay before it.

/// The rows that commits leave behind.
struct LandedTable {
    /// One of them.
    struct Row {
        var server: String
        var number: Int64
        var news: CommitNews
    }

    private let connection: PostgresConnection
    let more: String
    let first, takeOld, removeServers: String
    private let everything, tally, putTally, forgetCounted: String
    /// The maximum number of rows that one look reads.
    static let rowsMax = 2_000
    /// The size of news, in bytes, at which a look ends although there are further rows. A single one may be larger.
    static let bytesMax = 4 << 20
    /// The maximum number of rows that one transaction folds.
    private static let foldMax = 5_000

    /// Selects the beginning of news, with the counts: the rest may be megabytes.
    private static let counts = "substring(news FROM 1 FOR \(CommitNews.countsBytesMax))"

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let schema = connection.address.schema
        everything = """
            SELECT '', 0::bigint, counts FROM \(schema).tally UNION ALL SELECT server, number, \(Self.counts) \
            FROM \(schema).landed
            """
        more = """
            SELECT id, number, news FROM (SELECT found.*, coalesce(sum(octet_length(news)) OVER (\
            ORDER BY id, number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before FROM (\
            SELECT known.id, next.number, next.news FROM (SELECT server.id, coalesce(known.number, -1) AS number \
            FROM \(schema).server LEFT JOIN unnest($1::text[], $2::bigint[]) AS known (id, number) USING (id)) \
            AS known CROSS JOIN LATERAL (SELECT number, news FROM \(schema).landed WHERE landed.server = known.id \
            AND landed.number > known.number ORDER BY landed.number LIMIT \(Self.rowsMax)) AS next \
            WHERE known.id <> $3 ORDER BY 1, 2 LIMIT \(Self.rowsMax)) AS found) AS summed \
            WHERE before < $4 ORDER BY id, number
            """
        tally = "SELECT counts FROM \(schema).tally FOR UPDATE SKIP LOCKED"
        putTally = "UPDATE \(schema).tally SET counts = $1"
        let starts = """
            (SELECT server.id, server.started_at, coalesce(known.number, 0) AS number FROM \(schema).server \
            LEFT JOIN \(ListedRows.sql("$1::text[], $2::bigint[]")) AS known (id, number) USING (id)) AS start
            """
        let left = "\(schema).landed WHERE landed.server = start.id AND landed.number >= start.number"
        let number = "(SELECT number FROM \(left) ORDER BY number LIMIT 1)"
        first = "SELECT start.id, \(number) FROM \(starts)"
        takeOld = """
            DELETE FROM \(schema).landed WHERE ctid = ANY(ARRAY(SELECT old.ctid FROM \(starts) CROSS JOIN LATERAL \
            (SELECT ctid, number, at, ends FROM \(left) ORDER BY number LIMIT \(Self.foldMax)) AS old \
            LEFT JOIN \(schema).counted ON counted.server = start.id WHERE old.at < $3 \
            AND (old.ends IS NULL OR old.number <= coalesce(counted.number, -1)) LIMIT \(Self.foldMax))) \
            RETURNING \(Self.counts)
            """
        removeServers = """
            DELETE FROM \(schema).server WHERE id = ANY(ARRAY(SELECT server.id FROM \(starts) \
            JOIN \(schema).server USING (id) WHERE start.started_at < $3 AND \(number) IS NULL \
            FOR UPDATE OF server SKIP LOCKED))
            """
        forgetCounted = """
            DELETE FROM \(schema).counted WHERE server <> '' \
            AND NOT EXISTS (SELECT 1 FROM \(schema).server WHERE server.id = counted.server)
            """
    }

    /// The counts of all jobs, with the number of the last row of each server that they include.
    func counts() throws(PostgresFailure) -> (counts: JobCounts, last: [String: Int64]) {
        let rows = try connection.run(everything)
        var counts = JobCounts()
        var last: [String: Int64] = [:]
        for row in 0..<rows.count {
            let server = rows.text(row, 0)
            if server.isEmpty {
                var bytes = rows.bytes(row, 2)[...]
                counts.add(JobCounts(decoding: &bytes))
            } else {
                last[server] = max(last[server] ?? 0, rows.integer(row, 1))
                if !rows.isNull(row, 2) { counts.add(JobCounts(news: rows.bytes(row, 2))) }
            }
        }
        return (counts, last)
    }

    /// Rows of other servers after the last ones that are known, the first of each server first, and whether these are
    /// all.
    func rows(
        after last: [String: Int64], besides server: String, bytesMax: Int = bytesMax
    ) throws(PostgresFailure) -> (found: [Row], isWhole: Bool) {
        let known = Array(last)
        let rows = try connection.run(
            more,
            [
                .texts(known.map(\.key)), .integers(known.map(\.value)), .text(server),
                .integer(Int64(bytesMax)),
            ])
        var (found, bytes): ([Row], Int) = ([], 0)
        for row in 0..<rows.count {
            let coded = rows.isNull(row, 2) ? [] : rows.bytes(row, 2)
            bytes += coded.count
            found.append(
                Row(
                    server: rows.text(row, 0), number: rows.integer(row, 1), news: CommitNews(decoding: coded)
                ))
        }
        return (found, rows.count < Self.rowsMax && bytes < bytesMax)
    }

    /// Adds rows from before `time` to `tally`, unless another server is doing that. Returns whether more are left.
    /// - Parameter starts: where the rows of each server begin; moved on.
    func fold(before time: Timestamp, from starts: inout [String: Int64]) throws(PostgresFailure) -> Bool {
        let known = try connection.run(tally)
        guard known.count > 0 else { return false }
        let firsts = try connection.run(first, Self.values(starts))
        starts = (0..<firsts.count).reduce(into: [:]) { found, row in
            let server = firsts.text(row, 0)
            found[server] = firsts.isNull(row, 1) ? starts[server] : firsts.integer(row, 1)
        }
        let old = try connection.run(takeOld, Self.values(starts) + [.time(time)])
        guard old.count > 0 else { return false }
        var bytes = known.bytes(0, 0)[...]
        var counts = JobCounts(decoding: &bytes)
        for row in 0..<old.count where !old.isNull(row, 0) {
            counts.add(JobCounts(news: old.bytes(row, 0)))
        }
        var sum: [UInt8] = []
        counts.append(to: &sum)
        try connection.run(putTally, [.bytes(sum)])
        return old.count == Self.foldMax
    }

    /// Removes servers that started before `time` and of which no row is left. One that still lives has to enter again.
    /// - Parameter starts: where the rows of each server begin.
    func removeServers(from time: Timestamp, starts: [String: Int64]) throws(PostgresFailure) {
        let values = Self.values(starts) + [.time(time)]
        if try connection.run(removeServers, values).changed > 0 { try connection.run(forgetCounted) }
    }

    private static func values(_ starts: [String: Int64]) -> [PostgresValue] {
        let starts = Array(starts)
        return [.texts(starts.map(\.key)), .integers(starts.map(\.value))]
    }
}
