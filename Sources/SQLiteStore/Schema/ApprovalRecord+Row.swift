import JobKit
import JobStore
import StrictJSON

/// How an approval lies in a row of the table `approval`, and a grant in one of `capability`.
extension ApprovalRecord {
    /// The columns in the order in which `init(row:)` reads them.
    static let columns = """
        approval.content, job.id, approval.path, approval.opened_at, approval.state, approval.closed_at, \
        approval.closed_by, approval.comment
        """

    /// From where the columns are selected.
    static let source = "approval JOIN job ON job.number = approval.number"

    /// The approval in the current row of a statement that selects `columns`.
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

extension ApprovalState {
    /// The number that stands for the state in the database. Never to be changed.
    var stored: Int64 {
        switch self {
        case .open: 0
        case .approved: 1
        case .rejected: 2
        case .expired: 3
        case .withdrawn: 4
        }
    }

    /// The state that a number stands for; nil for an unknown one.
    init?(stored: Int64) {
        guard let state = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
        self = state
    }
}

extension GrantRecord {
    /// The columns in the order in which `init(row:)` reads them.
    static let columns = """
        name, status, scopes, expires_at, reason, updated_at, updated_by, requested_at, requested_by, requested_scope
        """

    /// The grant in the current row of a statement that selects `columns`.
    init(row: SQLiteStatement) throws(SQLiteFailure) {
        self.init(name: row.text(0))
        guard let status = GrantStatus(stored: row.integer(1)) else {
            throw SQLiteFailure.damaged("the grant \(name) has the unknown status \(row.integer(1))")
        }
        decided = status
        scopes = row.text(2).split(separator: " ").map(String.init)
        expiresAt = row.time(3)
        reason = row.optionalText(4)
        updatedAt = row.time(5)
        updatedBy = row.optionalText(6)
        if let at = row.time(7) {
            request = GrantRequest(job: row.id(8), scope: row.optionalText(9), at: at)
        }
    }

    /// Binds all columns, numbered from 1.
    func bindAll(to statement: SQLiteStatement) {
        statement.bind(1, name)
        statement.bind(2, decided.stored)
        statement.bind(3, scopes.joined(separator: " "))
        statement.bind(4, expiresAt)
        statement.bind(5, reason)
        statement.bind(6, updatedAt)
        statement.bind(7, updatedBy)
        statement.bind(8, request?.at)
        if let request { statement.bind(9, request.job) } else { statement.bind(9, Int64?.none) }
        statement.bind(10, request?.scope)
    }
}

extension GrantStatus {
    /// The number that stands for the status in the database. Never to be changed.
    var stored: Int64 {
        switch self {
        case .undetermined: 0
        case .granted: 1
        case .denied: 2
        case .expired: 3
        case .unavailable: 4
        }
    }

    /// The status that a number stands for; nil for an unknown one.
    init?(stored: Int64) {
        guard let status = Self.allCases.first(where: { $0.stored == stored }) else { return nil }
        self = status
    }
}
