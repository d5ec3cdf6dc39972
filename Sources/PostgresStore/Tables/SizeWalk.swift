import JobKit

// DESIGN
// A claim or a sweep of many large jobs does the first of them and leaves the others to the next one. If each measured
// all that it found, the work would grow with the square of their number. So the query ends at the limit.
// `OFFSET 0` keeps PostgreSQL from measuring each twice, once for the sum.

/// Measures jobs one after the other, until they are large together.
enum SizeWalk {
    /// The id of the job that is measured.
    static let id = "($1::uuid[])[walk.place + 1]"

    /// The statement.
    /// - Parameter size: selects the size of one job.
    static func sql(_ size: String) -> String {
        """
        WITH RECURSIVE walk (place, total, own) AS (SELECT 0, 0::bigint, 0::bigint UNION ALL \
        SELECT walk.place + 1, walk.total + next.bytes, next.bytes FROM walk CROSS JOIN LATERAL \
        (SELECT coalesce((\(size)), 0)::bigint AS bytes OFFSET 0) AS next \
        WHERE walk.place < cardinality($1::uuid[]) AND walk.total < $2) \
        SELECT own FROM walk WHERE place > 0 ORDER BY place
        """
    }

    /// The sizes of the first of these jobs, in their order: as many as are needed to reach `max` together.
    static func sizes(
        of ids: [JobID], max: Int, _ sql: String, _ connection: PostgresConnection
    ) throws(PostgresFailure) -> [Int] {
        if ids.isEmpty { return [] }
        let rows = try connection.run(sql, [.ids(ids), .integer(Int64(max))])
        return (0..<rows.count).map { Int(rows.integer($0, 0)) }
    }

    /// The sizes of ended jobs with all that they have.
    static func endedJobs(in schema: String) -> String {
        sql(
            """
            SELECT pg_column_size(job.spec) + coalesce(octet_length(ended.detail), 0) \
            + coalesce(pg_column_size(ended.headers), 0) + coalesce(pg_column_size(ended.body), 0) \
            + coalesce(pg_column_size(ended.journal), 0) + coalesce((SELECT sum(pg_column_size(journal.bytes)) \
            FROM \(schema).journal WHERE journal.id = ended.id), 0) FROM \(schema).ended \
            JOIN \(schema).job ON job.id = ended.id WHERE ended.id = \(id)
            """)
    }
}
