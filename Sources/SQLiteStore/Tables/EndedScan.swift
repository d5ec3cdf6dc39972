import JobKit
import JobStore

/// Looks for ended jobs in the order of their ends.
struct EndedScan {
    /// A place in that order.
    struct Place: Comparable {
        var at: Timestamp
        var id: JobID

        init(at: Timestamp, id: JobID) { (self.at, self.id) = (at, id) }

        /// The place of an ended job; nil for any other.
        init?(_ record: JobRecord) {
            guard record.state.isFinal, let end = record.finishedAt else { return nil }
            self.init(at: end, id: record.id)
        }

        static func < (left: Place, right: Place) -> Bool {
            left.at == right.at ? left.id < right.id : left.at < right.at
        }
    }

    /// By state, since the index has the jobs of each state apart.
    private let rows: SQLiteStatement

    static let query = """
        SELECT finished_at, id, queue, name, created_at, run_at, started_at, error_code, call_host \
        FROM job INDEXED BY job_finished WHERE state = ?1 AND finished_at IS NOT NULL \
        AND (finished_at, id) > (?2, ?3) AND finished_at <= ?4 ORDER BY finished_at, id LIMIT ?5
        """

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        rows = try connection.prepare(Self.query)
    }

    /// The first `limit` ends behind a place, up to a time, and whether there are more.
    func ends(
        after place: Place, until time: Timestamp, limit: Int
    ) throws(SQLiteFailure) -> (ends: [EndFacts], isMore: Bool) {
        var found: [EndFacts] = []
        for state in JobState.allCases where state.isFinal {
            rows.bind(1, state.stored)
            rows.bind(2, place.at)
            rows.bind(3, place.id)
            rows.bind(4, time)
            rows.bind(5, Int64(limit + 1))
            found += try rows.all { Self.end($0, state) }
        }
        found.sort { Place(at: $0.at, id: $0.id) < Place(at: $1.at, id: $1.id) }
        return (Array(found.prefix(limit)), found.count > limit)
    }

    private static func end(_ row: SQLiteStatement, _ state: JobState) -> EndFacts {
        var end = EndFacts(
            id: row.id(1), at: Timestamp(milliseconds: row.integer(0)), state: state, queue: row.text(2),
            name: row.text(3), code: row.optionalText(7), host: row.optionalText(8))
        end.note(
            createdAt: Timestamp(milliseconds: row.integer(4)), runAt: row.time(5), startedAt: row.time(6))
        return end
    }
}
