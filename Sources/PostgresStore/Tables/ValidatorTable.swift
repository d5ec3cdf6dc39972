import JobKit
import JobStore
import StrictJSON

/// Validators of answers by request, with numbers in the order in which they were stored.
struct ValidatorTable {
    private let connection: PostgresConnection
    private let schema: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        schema = connection.address.schema
    }

    /// One to be stored.
    struct Row {
        var validator: AnswerValidator
        /// One above those of validators stored before.
        var number: Int64
    }

    /// Stores validators, in the order of their keys.
    /// - Parameter countMax: the number of validators that are kept.
    func put(_ rows: [ByteKey: Row], countMax: Int) throws(PostgresFailure) {
        if rows.isEmpty { return }
        for (key, row) in rows.sorted(by: { $0.key < $1.key }) {
            try connection.later(
                """
                INSERT INTO \(schema).validator VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (key) DO UPDATE SET \
                number = excluded.number, tag = excluded.tag, modified = excluded.modified, job = excluded.job, \
                path = excluded.path
                """,
                [
                    .raw(key.text), .integer(row.number), .raw(row.validator.entityTag),
                    .raw(row.validator.lastModified), .raw(row.validator.job),
                    .raw(row.validator.path.joined(separator: "/")),
                ])
        }
        try connection.later(
            """
            DELETE FROM \(schema).validator WHERE key = ANY(ARRAY(SELECT key FROM \(schema).validator WHERE number <= \
            (SELECT number FROM \(schema).validator ORDER BY number DESC OFFSET $1 LIMIT 1) FOR UPDATE SKIP LOCKED))
            """, [.integer(Int64(countMax))])
    }

    /// The validator of a request, when there is the job with its content.
    func validator(_ key: String) throws(PostgresFailure) -> AnswerValidator? {
        let rows = try connection.run(
            "SELECT tag, modified, job, path FROM \(schema).validator WHERE key = ANY($1)", [.raws([key])])
        guard rows.count > 0 else { return nil }
        let job = rows.text(0, 2)
        guard let id = JobID(job),
            try connection.run("SELECT 1 FROM \(schema).job WHERE id = ANY($1)", [.ids([id])]).count > 0
        else { return nil }
        return AnswerValidator(
            entityTag: rows.optionalText(0, 0), lastModified: rows.optionalText(0, 1), job: job,
            path: rows.names(0, 3, by: "/"))
    }
}
