import JobKit
import JobStore

/// The prepared statements of the write connection for what people are asked.
struct PeopleStatements {
    let insertApproval, approvalByID, closeApproval, answerApproval: SQLiteStatement
    let withdrawAll, withdrawPath, deleteApprovals: SQLiteStatement
    let grantByName, putGrant, deleteGrant, countGrants: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        insertApproval = try connection.prepare(
            """
            INSERT INTO approval (id, number, path, state, opened_at, expires_at, on_timeout, audience, content) \
            VALUES (?1, ?2, ?3, 0, ?4, ?5, ?6, ?7, ?8)
            """)
        approvalByID = try connection.prepare(
            "SELECT \(ApprovalRecord.columns) FROM \(ApprovalRecord.source) WHERE approval.id = ?1")
        closeApproval = try connection.prepare(
            "UPDATE approval SET state = ?2, closed_at = ?3 WHERE id = ?1 AND state = 0")
        answerApproval = try connection.prepare(
            """
            UPDATE approval SET state = ?2, closed_at = ?3, closed_by = ?4, comment = ?5 \
            WHERE id = ?1 AND state = 0
            """)
        withdrawAll = try connection.prepare(
            "UPDATE approval SET state = 4, closed_at = ?2 WHERE number = ?1 AND state = 0")
        withdrawPath = try connection.prepare(
            "UPDATE approval SET state = 4, closed_at = ?2 WHERE number = ?1 AND path = ?3 AND state = 0")
        deleteApprovals = try connection.prepare("DELETE FROM approval WHERE number = ?1")
        grantByName = try connection.prepare("SELECT \(GrantRecord.columns) FROM capability WHERE name = ?1")
        putGrant = try connection.prepare(
            "INSERT OR REPLACE INTO capability VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)")
        deleteGrant = try connection.prepare("DELETE FROM capability WHERE name = ?1")
        countGrants = try connection.prepare("SELECT count(*) FROM capability")
    }
}
