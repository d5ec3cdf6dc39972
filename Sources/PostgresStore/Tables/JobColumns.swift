import JobJournal
import JobKit
import JobSpec
import JobStore

/// Jobs as rows of `job`, with `ticket` or `ended`.
extension StoredJob {
    /// The table that holds what changes about a job.
    enum Place: String {
        /// Of jobs that are not finished.
        case ticket
        /// Of jobs that are.
        case ended
    }

    /// Selects the jobs with rows in `place` by `$1`, their ids. By a list, so that every plan is the one for a list.
    /// - Parameter locks: whether their rows in `place` are locked, in the order of their ids.
    static func selection(in schema: String, from place: Place, locks: Bool) -> String {
        let columns = columns(from: place)
        return """
            SELECT \(columns) FROM \(schema).job JOIN \(schema).\(place) ON \(place).id = job.id \
            WHERE \(place).id = ANY($1)\
            \(locks ? " ORDER BY \(place).id FOR UPDATE OF \(place)" : "")
            """
    }

    /// The columns that `init` reads, in its order.
    static func columns(from place: Place) -> String {
        let own =
            switch place {
            case .ticket: ["due_at", "ready_at", "owner", "NULL", "NULL"]
            case .ended: ["NULL", "NULL", "NULL", "finished_at", "purge_at"]
            }
        let changing =
            [
                "state", "revision", "fence", "attempt", "run_at", "started_at", "expires_at", "detail",
                "posts",
                "flags",
            ] + own + ["journal_end"]
        return """
            job.id, job.number, job.priority, job.attempts_max, job.created_at, job.keep_succeeded, \
            job.keep_failed, job.name, job.type, job.queue, job.idempotency_key, job.labels, \
            CASE WHEN job.metadata_at IS NULL THEN job.metadata ELSE substring(job.spec \
            FROM (job.metadata_at >> 32)::integer + 1 FOR (job.metadata_at & 4294967295)::integer) END, \
            \(changing.map { $0 == "NULL" ? $0 : "\(place).\($0)" }.joined(separator: ", ")), job.queue_key, \
            \(place == .ticket ? "ticket.lined_at, octet_length(job.spec)" : "NULL, NULL"), job.start_by, job.finish_by
            """
    }

    /// The place of `journal_end` among the columns: the number of the last entry of the journal.
    static let journalEndColumn = 28

    /// The place of the size of the spec; NULL for a job that has ended.
    static let specBytesColumn = 31

    /// The number of columns.
    static let columnCount = 34

    /// The job in a row of `columns`.
    /// - Throws: a failure with the code of damaged data for a state that this program does not know.
    init(_ rows: PostgresRows, _ row: Int) throws(PostgresFailure) {
        guard let state = JobState(stored: rows.integer(row, 13)) else {
            throw .damaged("job \(rows.id(row, 0)) has the unknown state \(rows.integer(row, 13))")
        }
        let labels =
            rows.isNull(row, 11)
            ? [] : PairCoding.decode(rows.bytes(row, 11)).map { JobSpec.Label(key: $0.0, value: $0.1) }
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
        record.queueKey = rows.optionalText(row, 29)
        record.isInLine = !rows.isNull(row, 30)
        record.startBy = rows.time(row, 32)
        record.finishBy = rows.time(row, 33)
        self.init(record: record, number: rows.integer(row, 1))
        idempotencyKey = rows.optionalText(row, 10)
        posts = rows.integer(row, 21)
        flags = Flags(rawValue: rows.integer(row, 22))
        readyAt = rows.time(row, 24) ?? rows.time(row, 30)
        owner = rows.optionalText(row, 25).map { OwnerID($0) }
    }
}

extension StoredJob {
    /// The stored kinds of its waits; nil unless it is suspended for some.
    var waitKinds: Int64? {
        guard record.state.isSuspended else { return nil }
        let kinds = WaitKinds(record.detail.values.waits)
        return kinds.isEmpty ? nil : kinds.rawValue
    }
}

/// Columns of many jobs, as values for `unnest`.
extension [StoredJob] {
    /// Of `job`, up to the labels.
    var factColumns: [PostgresValue] {
        [
            .ids(map { $0.record.id }), .integers(map(\.number)),
            .integers(map { Int64($0.record.priority) }),
            .integers(map { Int64($0.record.attemptsMax) }), .times(map { $0.record.createdAt }),
            .integers(map { $0.record.keepSucceededMilliseconds }),
            .integers(map { $0.record.keepFailedMilliseconds }), .raws(map { $0.record.name }),
            .raws(map { $0.record.type }), .raws(map { $0.record.queue }), .raws(map(\.idempotencyKey)),
            .blobs(
                map { job in
                    job.record.labels.isEmpty
                        ? nil : PairCoding.encode(job.record.labels.map { ($0.key, $0.value) })
                }),
        ]
    }

    /// Of `ticket`, without the end of the journal.
    var ticketColumns: [PostgresValue] {
        [
            .ids(map { $0.record.id }), .integers(map(\.number)),
            .integers(map { Int64($0.record.priority) }),
            .integers(map { $0.record.state.stored }), .integers(map { $0.record.revision }),
            .integers(map { $0.record.fence }), .integers(map { Int64($0.record.attempt) }),
            .times(map { $0.record.runAt }), .times(map { $0.record.startedAt }),
            .times(map { $0.record.expiresAt }),
            .times(map { $0.record.dueAt }), .times(map { $0.isInLine ? nil : $0.readyAt }),
            .texts(map(\.owner?.description)),
            .blobs(details), .integers(map(\.posts)), .integers(map(\.flags.rawValue)),
        ]
    }

    /// Of `ended`, without the journal and the result.
    var endColumns: [PostgresValue] {
        [
            .ids(map { $0.record.id }), .integers(map { $0.record.state.stored }),
            .integers(map { $0.record.revision }),
            .integers(map { $0.record.fence }), .integers(map { Int64($0.record.attempt) }),
            .times(map { $0.record.runAt }), .times(map { $0.record.startedAt }),
            .times(map { $0.record.finishedAt ?? $0.record.createdAt }), .times(map { $0.record.expiresAt }),
            .times(map { $0.record.purgeAt ?? $0.record.createdAt }), .blobs(details),
            .integers(map(\.posts)),
            .integers(map(\.flags.rawValue)),
        ]
    }

    private var details: [[UInt8]?] {
        map { $0.record.detail.encoded }.map { $0.isEmpty ? nil : $0 }
    }
}
