import JobKit
import JobStore

/// The content that servers keep in a shared place: held, or condemned to be removed.
struct ContentTable {
    private let connection: PostgresConnection
    private let schema: String
    private let now = "(extract(epoch FROM clock_timestamp()) * 1000)::bigint"

    init(_ connection: PostgresConnection) {
        self.connection = connection
        schema = connection.address.schema
    }

    /// Locks content that is held, later, in its order, and makes the rows of what is new.
    func lock(_ digests: [String]) throws(PostgresFailure) {
        if digests.isEmpty { return }
        try connection.later(
            """
            INSERT INTO \(schema).content AS known (sha256, condemned, since) SELECT unnest($1::text[]), false, \(now) \
            ON CONFLICT (sha256) DO UPDATE SET since = known.since
            """, [.texts(Set(digests).sorted())])
    }

    /// Holds content; false while it is condemned.
    func hold(_ sha256: String) throws(PostgresFailure) -> Bool {
        let held = try connection.run(
            """
            INSERT INTO \(schema).content AS known (sha256, condemned, since) VALUES ($1, false, \(now)) \
            ON CONFLICT (sha256) DO UPDATE SET since = excluded.since WHERE NOT known.condemned
            """, [.text(sha256)])
        return held.changed > 0
    }

    /// Content that `condemn` may take, read without locks.
    func candidates(
        unusedFor grace: Duration, patience: Duration, limit: Int
    ) throws(PostgresFailure) -> [String] {
        let rows = try connection.run(
            """
            SELECT sha256 FROM \(schema).content AS known WHERE \(condition) LIMIT $3
            """,
            [
                .integer(grace.components.seconds * 1_000), .integer(patience.components.seconds * 1_000),
                .integer(Int64(limit)),
            ])
        return (0..<rows.count).map { rows.text($0, 0) }
    }

    /// Condemns those of some candidates that still may be. Returns them.
    func condemn(
        _ digests: [String], unusedFor grace: Duration, patience: Duration
    ) throws(PostgresFailure) -> [String] {
        let rows = try connection.run(
            """
            UPDATE \(schema).content AS known SET condemned = true, since = \(now) \
            WHERE sha256 = ANY($3) AND \(condition) RETURNING sha256
            """,
            [
                .integer(grace.components.seconds * 1_000), .integer(patience.components.seconds * 1_000),
                .texts(digests),
            ])
        return (0..<rows.count).map { rows.text($0, 0) }
    }

    /// Those of some jobs that may still resume what they have not finished: neither erased nor succeeded.
    func resumable(_ ids: [JobID]) throws(PostgresFailure) -> [JobID] {
        try connection.run(
            """
            SELECT id FROM \(schema).job WHERE id = ANY($1) AND NOT EXISTS \
            (SELECT 1 FROM \(schema).ended WHERE ended.id = job.id AND ended.state = $2)
            """, [.ids(ids), .integer(JobState.succeeded.stored)]
        ).ids()
    }

    func forget(_ digests: [String]) throws(PostgresFailure) {
        try connection.run(
            "DELETE FROM \(schema).content WHERE sha256 = ANY($1) AND condemned", [.texts(digests)])
    }

    private var condition: String {
        """
        (known.condemned AND since < \(now) - $2 OR NOT known.condemned AND since < \(now) - $1 \
        AND NOT EXISTS (SELECT 1 FROM \(schema).artifact WHERE artifact.sha256 = known.sha256) \
        AND NOT EXISTS (SELECT 1 FROM \(schema).upload WHERE upload.sha256 = known.sha256))
        """
    }
}
