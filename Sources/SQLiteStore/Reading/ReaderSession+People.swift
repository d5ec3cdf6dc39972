import JobKit
import JobStore

/// What people are asked, read.
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
        return "SELECT \(ApprovalRecord.columns) FROM \(ApprovalRecord.source) WHERE "
            + terms.joined(separator: " AND ") + " ORDER BY approval.id DESC LIMIT \(rows)"
    }

    /// What is over by its time counts as expired or approved, even when nobody wrote that down yet.
    private static func term(_ state: ApprovalState) -> String {
        let isOver = "approval.state = 0 AND approval.expires_at <= ?1 AND approval.on_timeout"
        return switch state {
        case .open: "(approval.state = 0 AND (approval.expires_at IS NULL OR approval.expires_at > ?1))"
        case .approved: "(approval.state = 1 OR (\(isOver) = 1))"
        case .expired: "(approval.state = 3 OR (\(isOver) = 0))"
        case .rejected, .withdrawn: "approval.state = \(state.stored)"
        }
    }

    func grant(_ name: String) throws(SQLiteFailure) -> GrantRecord? {
        let statement = try pageStatement("SELECT \(GrantRecord.columns) FROM capability WHERE name = ?1")
        statement.bind(1, name)
        defer { statement.reset() }
        return try statement.step() ? try GrantRecord(row: statement) : nil
    }

    func grants(after: String, limit: Int) throws(SQLiteFailure) -> [GrantRecord] {
        let statement = try pageStatement(
            "SELECT \(GrantRecord.columns) FROM capability WHERE name > ?1 ORDER BY name LIMIT ?2")
        statement.bind(1, after)
        statement.bind(2, Int64(limit))
        defer { statement.reset() }
        var found: [GrantRecord] = []
        while try statement.step() { found.append(try GrantRecord(row: statement)) }
        return found
    }

    func waiting(for key: String, limit: Int) throws(SQLiteFailure) -> [JobID] {
        let states = JobState.allCases.filter(\.isPutDown).map { String($0.stored) }
        let statement = try pageStatement(
            """
            SELECT job.id FROM wake JOIN job ON job.number = wake.number WHERE wake.key = ?1 \
            AND job.state IN (\(states.joined(separator: ", "))) ORDER BY wake.number LIMIT ?2
            """)
        statement.bind(1, key)
        statement.bind(2, Int64(limit))
        defer { statement.reset() }
        var found: [JobID] = []
        while try statement.step() { found.append(statement.id(0)) }
        return found
    }
}
