import JobJournal
import JobKit
import JobStore
import StrictJSON

/// The rows of approvals, which are erased with their jobs.
struct ApprovalTable: ApprovalRows {
    private let connection: PostgresConnection
    private let insert, byID, lock, close, withdraw, withdrawPath, delete: String

    init(_ connection: PostgresConnection) {
        self.connection = connection
        let table = "\(connection.address.schema).approval"
        insert =
            "INSERT INTO \(table) VALUES ($1, $2, $3, 0, $4, $5, $6::bigint <> 0, $7, NULL, NULL, NULL, $8)"
        byID = "SELECT \(ApprovalRecord.columns) FROM \(table) WHERE id = ANY($1)"
        lock = byID + " FOR UPDATE"
        close = """
            UPDATE \(table) SET state = $2, closed_at = $3, closed_by = $4, comment = $5 \
            WHERE id = ANY($1) AND state = 0
            """
        withdraw = "UPDATE \(table) SET state = 4, closed_at = $2 WHERE job = ANY($1) AND state = 0"
        withdrawPath = withdraw + " AND path = $3"
        delete = "DELETE FROM \(table) WHERE job = ANY($1)"
    }

    func approval(_ id: ApprovalID, locks: Bool) throws(PostgresFailure) -> ApprovalRecord? {
        let rows = try connection.run(locks ? lock : byID, [.ids([id.bits])])
        return rows.count == 0 ? nil : try ApprovalRecord(rows, 0)
    }

    /// The page that a query selects.
    func page(_ query: ApprovalQuery) throws(PostgresFailure) -> ApprovalPage {
        let limit = StoreRange.page(query.limit)
        var terms = ["$1::bigint IS NOT NULL"]
        var values: [PostgresValue] = [.time(query.now)]
        func mark(_ value: PostgresValue) -> String {
            values.append(value)
            return "$\(values.count)"
        }
        if !query.states.isEmpty {
            let states = ApprovalState.allCases.filter(query.states.contains)
            terms.append("(" + states.map(Self.term).joined(separator: " OR ") + ")")
        }
        if let job = query.job { terms.append("job = \(mark(.id(job)))") }
        if let audience = query.audience { terms.append("audience = \(mark(.raw(audience)))") }
        if let after = query.after { terms.append("id < \(mark(.id(after.bits)))") }
        if let prefix = query.tenant?.prefix {
            terms.append(
                """
                EXISTS (SELECT 1 FROM \(connection.address.schema).job WHERE job.id = approval.job \
                AND substring(job.queue from 1 for \(prefix.utf8.count)) = \(mark(.raw(prefix))))
                """)
        }
        let rows = try connection.run(
            "SELECT \(ApprovalRecord.columns) FROM \(connection.address.schema).approval WHERE "
                + terms.joined(separator: " AND ") + " ORDER BY id DESC LIMIT \(limit + 1)", values)
        var found: [ApprovalRecord] = []
        for row in 0..<rows.count { found.append(try ApprovalRecord(rows, row)) }
        return ApprovalPage(found, limit: limit)
    }

    /// An approval past its expiry counts as expired or approved before that is stored.
    private static func term(_ state: ApprovalState) -> String {
        let isOver = "state = 0 AND expires_at <= $1"
        return switch state {
        case .open: "(state = 0 AND (expires_at IS NULL OR expires_at > $1))"
        case .approved: "(state = 1 OR (\(isOver) AND approves_late))"
        case .expired: "(state = 3 OR (\(isOver) AND NOT approves_late))"
        case .rejected, .withdrawn: "state = \(state.stored)"
        }
    }

    // MARK: Writing

    func open(_ approval: ApprovalRecord, of job: StoredJob) throws(PostgresFailure) {
        let request = approval.request
        try connection.run(
            insert,
            [
                .id(request.id.bits), .id(job.record.id), .raw(approval.path.joined(separator: "/")),
                .time(approval.openedAt), .time(request.expiresAt),
                .integer(request.question.onTimeout == .continue ? 1 : 0),
                .raw(request.question.audience), .bytes(request.encoded()),
            ])
    }

    func answer(_ approval: ApprovalRecord) throws(PostgresFailure) {
        try connection.run(
            close,
            [
                .ids([approval.request.id.bits]), .integer(approval.written.stored), .time(approval.closedAt),
                .raw(approval.by), .raw(approval.comment),
            ])
    }

    func close(_ id: ApprovalID, as state: ApprovalState, at time: Timestamp) throws(PostgresFailure) {
        try connection.run(
            close, [.ids([id.bits]), .integer(state.stored), .time(time), .raw(nil), .raw(nil)])
    }

    func withdraw(of job: StoredJob, at path: [String]?, _ time: Timestamp) throws(PostgresFailure) {
        let values: [PostgresValue] = [.ids([job.record.id]), .time(time)]
        if let path {
            try connection.run(withdrawPath, values + [.raw(path.joined(separator: "/"))])
        } else {
            try connection.run(withdraw, values)
        }
    }

    /// Removes the approvals of erased jobs.
    func remove(of jobs: [JobID]) throws(PostgresFailure) {
        if !jobs.isEmpty { try connection.run(delete, [.ids(jobs)]) }
    }
}

extension ApprovalRecord {
    /// The columns, in the order of `init`.
    fileprivate static let columns = "content, job, path, opened_at, state, closed_at, closed_by, comment"

    /// Reads a row of `columns`.
    fileprivate init(_ rows: PostgresRows, _ row: Int) throws(PostgresFailure) {
        guard let json = try? JSONParser.parse(rows.bytes(row, 0)),
            let request = try? ApprovalRequest(json: json),
            let state = ApprovalState(stored: rows.integer(row, 4))
        else { throw .damaged("an approval of job \(rows.id(row, 1)) cannot be read") }
        self.init(
            request: request, job: rows.id(row, 1), path: rows.names(row, 2, by: "/"),
            openedAt: Timestamp(milliseconds: rows.integer(row, 3)))
        written = state
        closedAt = rows.time(row, 5)
        by = rows.optionalText(row, 6)
        comment = rows.optionalText(row, 7)
    }
}
