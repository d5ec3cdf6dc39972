import JobKit
import JobStore

// DESIGN
// The receipt of each commit has the ends that it made; see `LandedTable`. A server commits in order, and settles a
// commit in doubt before the next one, so `counted` has one number for each server: that of the last receipt whose ends
// are counted. Who counts locks the row of no server first, so that one server does, for all of them, and none waits.
// Receipts whose ends are not counted stay until they are. A copy leaves the ends that it found in `ending`.

/// The statistics, and the ends that are not counted yet.
struct StatsTable: StatsRows {
    private let connection: PostgresConnection
    private let lock, takeNoted, more, putCounted, writeAll, overRows, delete, page: String
    let read: String
    /// The size of ends at which one look has no more, although there are further receipts.
    private static let bytesMax = 1 << 20
    /// The number of receipts that one look reads.
    private static let receiptsMax = 2_000

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let schema = connection.address.schema
        lock = "SELECT 1 FROM \(schema).counted WHERE server = '' FOR UPDATE SKIP LOCKED"
        takeNoted = """
            DELETE FROM \(schema).ending WHERE number = ANY(ARRAY(SELECT number FROM \(schema).ending \
            ORDER BY number LIMIT 10)) RETURNING body
            """
        more = """
            SELECT id, number, ends FROM (SELECT found.*, coalesce(sum(octet_length(ends)) OVER (\
            ORDER BY id, number ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING), 0) AS before FROM (\
            SELECT known.id, next.number, next.ends FROM (SELECT server.id, coalesce(counted.number, -1) AS number \
            FROM \(schema).server LEFT JOIN \(schema).counted ON counted.server = server.id) AS known \
            CROSS JOIN LATERAL (SELECT number, ends FROM \(schema).landed WHERE landed.server = known.id \
            AND landed.number > known.number ORDER BY landed.number LIMIT \(Self.receiptsMax)) AS next \
            ORDER BY 1, 2 LIMIT \(Self.receiptsMax)) AS found) AS summed WHERE before < $1 ORDER BY id, number
            """
        putCounted = """
            INSERT INTO \(schema).counted SELECT * FROM unnest($1::text[], $2::bigint[]) \
            ON CONFLICT (server) DO UPDATE SET number = excluded.number
            """
        let wanted = ListedRows.sql(
            "$1::bigint[], $2::bigint[], $3::bytea[], $4::bigint[]", "step, facet, tenant, at",
            in: "\(schema).stats",
            by: ["step", "facet", "tenant", "at"], "is_open, body")
        read = "SELECT step, facet, tenant, at, is_open::int, body FROM \(wanted) AS found"
        writeAll = """
            INSERT INTO \(schema).stats (step, facet, tenant, at, is_open, body) \
            SELECT * FROM unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bigint[], $5::boolean[], $6::bytea[]) \
            ON CONFLICT (step, facet, tenant, at) DO UPDATE SET is_open = excluded.is_open, body = excluded.body
            """
        overRows = """
            SELECT step, facet, tenant, at, 1, body FROM \(schema).stats WHERE is_open AND step = $1 AND at < $2 LIMIT $3
            """
        delete = """
            DELETE FROM \(schema).stats WHERE ctid = ANY(ARRAY(SELECT ctid FROM \(schema).stats WHERE step = $1 \
            AND at < $2 LIMIT $3 FOR UPDATE SKIP LOCKED))
            """
        page = """
            SELECT at, body FROM \(schema).stats WHERE step = $1 AND facet = $2 AND tenant = $3 AND at >= $4 AND at < $5 \
            ORDER BY at
            """
    }

    func take(
        until time: Timestamp, limit: Int
    ) throws(PostgresFailure) -> (ends: [EndFacts], isMore: Bool) {
        guard try connection.run(lock).count > 0 else { return ([], false) }
        let noted = try connection.run(takeNoted)
        var ends = (0..<noted.count).flatMap { EndFacts.decoded(noted.bytes($0, 0)) }
        if !ends.isEmpty { return (ends, true) }
        let rows = try connection.run(more, [.integer(Int64(Self.bytesMax))])
        var last: [String: Int64] = [:]
        var places = CountedPlaces()
        for row in 0..<rows.count {
            // A receipt is counted whole: the others wait.
            if ends.count >= limit || places.isFull { break }
            last[rows.text(row, 0)] = rows.integer(row, 1)
            if rows.isNull(row, 2) { continue }
            let made = EndFacts.decoded(rows.bytes(row, 2))
            places.take(all: made)
            ends += made
        }
        if !last.isEmpty {
            let servers = last.keys.sorted()
            try connection.run(
                putCounted, [.texts(servers), .integers(servers.map { last[$0] })])
        }
        return (ends, ends.count >= limit || places.isFull || rows.count == Self.receiptsMax)
    }

    func bins(_ keys: [StatsKey]) throws(PostgresFailure) -> [StatsKey: StoredBin] {
        if keys.isEmpty { return [:] }
        return Self.bins(in: try connection.run(read, Self.columns(keys)))
    }

    func over(at now: Timestamp, limit: Int) throws(PostgresFailure) -> [StatsKey: StoredBin] {
        var found: [StatsKey: StoredBin] = [:]
        for step in StatsStep.allCases where found.count < limit {
            let rows = try connection.run(
                overRows,
                [
                    .integer(step.rawValue), .time(StatsKey.overBefore(now, step)),
                    .integer(Int64(limit - found.count)),
                ])
            found.merge(Self.bins(in: rows)) { $1 }
        }
        return found
    }

    func put(_ bins: [StatsKey: StoredBin]) throws(PostgresFailure) {
        if bins.isEmpty { return }
        let sorted = bins.sorted { $0.key < $1.key }
        try connection.run(
            writeAll,
            Self.columns(sorted.map(\.key)) + [
                .booleans(sorted.map(\.value.isOpen)), .blobs(sorted.map(\.value.bytes)),
            ])
    }

    func remove(before time: Timestamp, limit: Int) throws(PostgresFailure) -> Int {
        var count = 0
        for step in StatsStep.allCases where count < limit {
            count += try connection.run(
                delete,
                [.integer(step.rawValue), .time(step.oldest(at: time)), .integer(Int64(limit - count))]
            ).changed
        }
        return count
    }

    func stats(
        by facet: StatsFacet, _ step: StatsStep, of tenant: Tenant?, from start: Timestamp,
        before end: Timestamp
    ) throws(PostgresFailure) -> [StatsPoint] {
        let rows = try connection.run(
            page,
            [
                .integer(step.rawValue), .integer(facet.rawValue), .raw(tenant?.name ?? ""), .time(start),
                .time(end),
            ])
        return (0..<rows.count).map {
            StatsPoint(
                at: Timestamp(milliseconds: rows.integer($0, 0)), bin: StatsBin(decoding: rows.bytes($0, 1)))
        }
    }

    private static func columns(_ keys: [StatsKey]) -> [PostgresValue] {
        [
            .integers(keys.map(\.step.rawValue)), .integers(keys.map(\.facet.rawValue)),
            .raws(keys.map(\.tenant)), .times(keys.map(\.at)),
        ]
    }

    private static func bins(in rows: PostgresRows) -> [StatsKey: StoredBin] {
        var found: [StatsKey: StoredBin] = [:]
        for row in 0..<rows.count {
            guard let step = StatsStep(rawValue: rows.integer(row, 0)),
                let facet = StatsFacet(rawValue: rows.integer(row, 1))
            else { continue }
            let key = StatsKey(
                step: step, facet: facet, tenant: rows.text(row, 2),
                at: Timestamp(milliseconds: rows.integer(row, 3)))
            found[key] = StoredBin(bytes: rows.bytes(row, 5), isOpen: rows.integer(row, 4) != 0)
        }
        return found
    }
}
