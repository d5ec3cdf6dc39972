import JobJournal
import JobKit
import JobSpec
import JobStore

/// Jobs as rows of `job`, with `ticket` or `ended`.
extension StoredJob {
    /// Selects jobs by `$1`, their ids. By a list, so that every plan is the one for a list.
    static func selection(in schema: String) -> String {
        // Mutable columns are in the ticket until the job ends, and in `ended` from then on.
        let changing = [
            "state", "revision", "fence", "attempt", "run_at", "started_at", "expires_at", "detail", "posts",
            "flags",
        ].map { "CASE WHEN ticket.id IS NULL THEN ended.\($0) ELSE ticket.\($0) END" }
        return """
            SELECT job.id, job.number, job.priority, job.attempts_max, job.created_at, job.keep_succeeded, \
            job.keep_failed, job.name, job.type, job.queue, job.idempotency_key, job.labels, \
            CASE WHEN job.metadata_at IS NULL THEN job.metadata ELSE substring(job.spec \
            FROM (job.metadata_at >> 32)::integer + 1 FOR (job.metadata_at & 4294967295)::integer) END, \
            \(changing.joined(separator: ", ")), ticket.due_at, ticket.ready_at, ticket.owner, \
            ended.finished_at, ended.purge_at \
            FROM \(schema).job LEFT JOIN \(schema).ticket ON ticket.id = job.id \
            LEFT JOIN \(schema).ended ON ended.id = job.id WHERE job.id = ANY($1)
            """
    }

    /// The job in a row of `selection`.
    /// - Throws: a failure with the code of damaged data for a state that this program does not know.
    init(_ rows: PostgresRows, _ row: Int) throws(PostgresFailure) {
        guard !rows.isNull(row, 13), let state = JobState(stored: rows.integer(row, 13)) else {
            throw .damaged("job \(rows.id(row, 0)) has the unknown state \(rows.integer(row, 13))")
        }
        let labels = PairCoding.decode(rows.bytes(row, 11)).map { JobSpec.Label(key: $0.0, value: $0.1) }
        var record = JobRecord(
            id: rows.id(row, 0), name: rows.text(row, 7), type: rows.text(row, 8), queue: rows.text(row, 9),
            priority: Int(rows.integer(row, 2)), labels: labels, state: state,
            attemptsMax: Int(rows.integer(row, 3)),
            createdAt: Timestamp(milliseconds: rows.integer(row, 4)),
            keepSucceededMilliseconds: rows.integer(row, 5), keepFailedMilliseconds: rows.integer(row, 6))
        record.metadata = rows.bytes(row, 12)
        record.revision = rows.integer(row, 14)
        record.fence = rows.integer(row, 15)
        record.attempt = Int(rows.integer(row, 16))
        record.runAt = rows.time(row, 17)
        record.startedAt = rows.time(row, 18)
        record.expiresAt = rows.time(row, 19)
        record.detail = rows.isNull(row, 20) ? .nothing : .coded(rows.bytes(row, 20))
        record.dueAt = rows.time(row, 23)
        record.finishedAt = rows.time(row, 26)
        record.purgeAt = rows.time(row, 27)
        self.init(record: record, number: rows.integer(row, 1))
        idempotencyKey = rows.optionalText(row, 10)
        posts = rows.integer(row, 21)
        flags = Flags(rawValue: rows.integer(row, 22))
        readyAt = rows.time(row, 24)
        owner = rows.optionalText(row, 25).map { OwnerID($0) }
    }

    /// Inserts new rows into `job`, and answers with the ids of those that were not there.
    static func insertion(in schema: String) -> String {
        """
        INSERT INTO \(schema).job SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], \
        $5::bigint[], $6::bigint[], $7::bigint[], $8::text[], $9::text[], $10::text[], $11::text[], $12::bytea[], \
        $13::bytea[], $14::bigint[], $15::bytea[]) ON CONFLICT (id) DO NOTHING RETURNING id
        """
    }

    /// The values for `insertion`.
    static func insertionValues(_ jobs: [(stored: StoredJob, new: NewJob)]) -> [PostgresValue] {
        let records = jobs.map(\.stored.record)
        return [
            .ids(records.map(\.id)), .integers(jobs.map(\.stored.number)),
            .integers(records.map { Int64($0.priority) }), .integers(records.map { Int64($0.attemptsMax) }),
            .times(records.map(\.createdAt)), .integers(records.map(\.keepSucceededMilliseconds)),
            .integers(records.map(\.keepFailedMilliseconds)), .texts(records.map(\.name)),
            .texts(records.map(\.type)), .texts(records.map(\.queue)),
            .texts(jobs.map(\.stored.idempotencyKey)),
            .blobs(
                records.map { record in
                    record.labels.isEmpty
                        ? nil : PairCoding.encode(record.labels.lazy.map { ($0.key, $0.value) })
                }),
            .blobs(
                jobs.map { job in
                    job.new.metadataPlace != nil || job.new.record.metadata.isEmpty
                        ? nil : job.new.record.metadata
                }),
            .integers(
                jobs.map { job in
                    job.new.metadataPlace.map { Int64($0.lowerBound) << 32 | Int64($0.count) }
                }),
            .blobs(jobs.map(\.new.spec)),
        ]
    }

    /// Inserts new rows into `ticket`.
    static func ticketInsertion(in schema: String) -> String {
        """
        INSERT INTO \(schema).ticket SELECT * FROM unnest($1::uuid[], $2::bigint[], $3::bigint[], $4::bigint[], \
        $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[], $10::bigint[], $11::bigint[], \
        $12::bigint[], $13::text[], $14::bytea[], $15::bigint[], $16::bigint[])
        """
    }

    /// The values for `ticketInsertion`.
    static func ticketValues(_ jobs: [StoredJob]) -> [PostgresValue] {
        let records = jobs.map(\.record)
        return [
            .ids(records.map(\.id)), .integers(jobs.map(\.number)),
            .integers(records.map { Int64($0.priority) }),
            .integers(records.map(\.state.stored)), .integers(records.map(\.revision)),
            .integers(records.map(\.fence)), .integers(records.map { Int64($0.attempt) }),
            .times(records.map(\.runAt)), .times(records.map(\.startedAt)), .times(records.map(\.expiresAt)),
            .times(records.map(\.dueAt)), .times(jobs.map(\.readyAt)),
            .texts(jobs.map(\.owner?.description)),
            .blobs(records.map(\.detail.encoded).map { $0.isEmpty ? nil : $0 }), .integers(jobs.map(\.posts)),
            .integers(jobs.map(\.flags.rawValue)),
        ]
    }
}
