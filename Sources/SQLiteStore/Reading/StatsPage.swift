import JobKit
import JobStore

/// Reads of statistics.
enum StatsPage {
    /// The bins of a facet whose steps begin in a range.
    static func points(
        in session: ReaderSession, by facet: StatsFacet, _ step: StatsStep, of tenant: Tenant?,
        from start: Timestamp,
        before end: Timestamp
    ) throws(SQLiteFailure) -> [StatsPoint] {
        let rows = try session.pageStatement(
            """
            SELECT at, body FROM stats WHERE step = ?1 AND facet = ?2 AND tenant = ?3 AND at >= ?4 AND at < ?5 \
            ORDER BY at
            """)
        rows.bind(1, step.rawValue)
        rows.bind(2, facet.rawValue)
        rows.bind(3, tenant?.name ?? "")
        rows.bind(4, start)
        rows.bind(5, end)
        return try rows.all {
            StatsPoint(at: Timestamp(milliseconds: $0.integer(0)), bin: StatsBin(decoding: $0.bytes(1)))
        }
    }
}
