import JobJournal
import JobKit
import JobStore
import StrictJSON

/// The rows of approvals, which are erased with their jobs.
struct ApprovalTable: ApprovalRows {
    private let insert, byID, close, answerRow: SQLiteStatement
    private let withdrawAll, withdrawPath, delete: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        insert = try connection.prepare(
            """
            INSERT INTO approval (id, number, path, state, opened_at, expires_at, on_timeout, audience, content) \
            VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, ?8)
            """)
        byID = try connection.prepare(
            "SELECT \(ApprovalRecord.columns) FROM \(ApprovalRecord.source) WHERE approval.id = ?1")
        close = try connection.prepare(
            "UPDATE approval SET state = ?2, closed_at = ?3 WHERE id = ?1 AND state = 0")
        answerRow = try connection.prepare(
            """
            UPDATE approval SET state = ?2, closed_at = ?3, closed_by = ?4, comment = ?5 \
            WHERE id = ?1 AND state = 0
            """)
        withdrawAll = try connection.prepare(
            "UPDATE approval SET state = 4, closed_at = ?2 WHERE number = ?1 AND state = 0")
        withdrawPath = try connection.prepare(
            "UPDATE approval SET state = 4, closed_at = ?2 WHERE number = ?1 AND path = ?3 AND state = 0")
        delete = try connection.prepare("DELETE FROM approval WHERE number = ?1")
    }

    func answer(_ approval: ApprovalRecord) throws(SQLiteFailure) {
        answerRow.bind(1, approval.request.id.bits)
        answerRow.bind(2, approval.written.stored)
        answerRow.bind(3, approval.closedAt)
        answerRow.bind(4, approval.by)
        answerRow.bind(5, approval.comment)
        try answerRow.run()
    }

    /// Removes the approvals of an erased job.
    func remove(of number: Int64) throws(SQLiteFailure) {
        delete.bind(1, number)
        try delete.run()
    }

    func approval(_ id: ApprovalID) throws(SQLiteFailure) -> ApprovalRecord? {
        byID.bind(1, id.bits)
        defer { byID.reset() }
        return try byID.step() ? try ApprovalRecord(row: byID) : nil
    }

    func open(_ approval: ApprovalRecord, of job: StoredJob) throws(SQLiteFailure) {
        let request = approval.request
        insert.bind(1, request.id.bits)
        insert.bind(2, job.number)
        insert.bind(3, approval.path.joined(separator: "/"))
        insert.bind(4, approval.openedAt)
        insert.bind(5, request.expiresAt)
        insert.bind(6, request.question.onTimeout == .continue ? Int64(1) : Int64(0))
        insert.bind(7, request.question.audience)
        try insert.run(with: request.encoded(), at: 8)
    }

    func close(_ id: ApprovalID, as state: ApprovalState, at time: Timestamp) throws(SQLiteFailure) {
        close.bind(1, id.bits)
        close.bind(2, state.stored)
        close.bind(3, time)
        try close.run()
    }

    func withdraw(of job: StoredJob, at path: [String]?, _ time: Timestamp) throws(SQLiteFailure) {
        let statement = path == nil ? withdrawAll : withdrawPath
        statement.bind(1, job.number)
        statement.bind(2, time)
        if let path { statement.bind(3, path.joined(separator: "/")) }
        try statement.run()
    }
}

extension ReaderSession {
    func approval(_ id: ApprovalID) throws(SQLiteFailure) -> ApprovalRecord? {
        let statement = try pageStatement(
            "SELECT \(ApprovalRecord.columns) FROM \(ApprovalRecord.source) WHERE approval.id = ?1")
        statement.bind(1, id.bits)
        defer { statement.reset() }
        return try statement.step() ? try ApprovalRecord(row: statement) : nil
    }

    func approvals(_ query: ApprovalQuery) throws(SQLiteFailure) -> ApprovalPage {
        let limit = StoreRange.page(query.limit)
        let statement = try pageStatement(Self.sql(query, rows: limit + 1))
        statement.bind(1, query.now)
        if let job = query.job { statement.bind(2, job) }
        if let audience = query.audience { statement.bind(3, audience) }
        if let after = query.after { statement.bind(4, after.bits) }
        if let tenant = query.tenant {
            statement.bind(5, tenant.prefix)
            statement.bind(6, tenant.prefix.behindAll)
        }
        defer { statement.reset() }
        var found: [ApprovalRecord] = []
        while try statement.step() { found.append(try ApprovalRecord(row: statement)) }
        return ApprovalPage(found, limit: limit)
    }

    private static func sql(_ query: ApprovalQuery, rows: Int) -> String {
        var terms = ["?1 IS NOT NULL"]
        if !query.states.isEmpty {
            let states = ApprovalState.allCases.filter(query.states.contains)
            terms.append("(" + states.map(term).joined(separator: " OR ") + ")")
        }
        if query.job != nil { terms.append("approval.number = (SELECT number FROM job WHERE id = ?2)") }
        if query.audience != nil { terms.append("approval.audience = ?3") }
        if query.after != nil { terms.append("approval.id < ?4") }
        if query.tenant != nil { terms.append("job.queue >= ?5 AND job.queue < ?6") }
        return "SELECT \(ApprovalRecord.columns) FROM \(ApprovalRecord.source) WHERE "
            + terms.joined(separator: " AND ") + " ORDER BY approval.id DESC LIMIT \(rows)"
    }

    /// An approval past its expiry counts as expired or approved before that is stored.
    private static func term(_ state: ApprovalState) -> String {
        let isOver = "approval.state = 0 AND approval.expires_at <= ?1 AND approval.on_timeout"
        return switch state {
        case .open: "(approval.state = 0 AND (approval.expires_at IS NULL OR approval.expires_at > ?1))"
        case .approved: "(approval.state = 1 OR (\(isOver) = 1))"
        case .expired: "(approval.state = 3 OR (\(isOver) = 0))"
        case .rejected, .withdrawn: "approval.state = \(state.stored)"
        }
    }
}

extension ApprovalRecord {
    /// The columns, in the order of `init(row:)`.
    static let columns = """
        approval.content, job.id, approval.path, approval.opened_at, approval.state, approval.closed_at, \
        approval.closed_by, approval.comment
        """

    /// The tables that the columns are selected from.
    static let source = "approval JOIN job ON job.number = approval.number"

    /// Reads the current row of a statement that selects `columns`.
    init(row: SQLiteStatement) throws(SQLiteFailure) {
        guard let json = try? JSONParser.parse(row.bytes(0)), let request = try? ApprovalRequest(json: json),
            let state = ApprovalState(stored: row.integer(4))
        else { throw SQLiteFailure.damaged("an approval of job \(row.id(1)) cannot be read") }
        self.init(
            request: request, job: row.id(1), path: row.text(2).split(separator: "/").map(String.init),
            openedAt: Timestamp(milliseconds: row.integer(3)))
        written = state
        closedAt = row.time(5)
        by = row.optionalText(6)
        comment = row.optionalText(7)
    }
}
