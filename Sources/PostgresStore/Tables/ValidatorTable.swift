import JobKit
import JobStore

/// Validators of answers by request, with numbers in the order in which they were stored.
struct ValidatorTable {
    private let connection: PostgresConnection
    private let schema: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        schema = connection.address.schema
    }

    /// - Parameters:
    ///   - number: one above those of validators stored before.
    ///   - countMax: the number of validators that are kept.
    func put(
        _ validator: AnswerValidator, for key: String, number: Int64, countMax: Int
    ) throws(PostgresFailure) {
        try connection.run(
            """
            INSERT INTO \(schema).validator VALUES ($1, $2, $3, $4, $5, $6) ON CONFLICT (key) DO UPDATE SET \
            number = excluded.number, tag = excluded.tag, modified = excluded.modified, job = excluded.job, \
            path = excluded.path
            """,
            [
                .raw(key), .integer(number), .raw(validator.entityTag), .raw(validator.lastModified),
                .raw(validator.job), .raw(validator.path.joined(separator: "/")),
            ])
        try connection.run(
            """
            DELETE FROM \(schema).validator WHERE number <= \
            (SELECT number FROM \(schema).validator ORDER BY number DESC OFFSET $1 LIMIT 1)
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
