import JobStore

/// An error of PostgreSQL, or of the connection to it.
struct PostgresFailure: Error, Sendable {
    /// The SQLSTATE; empty when it did not answer.
    var state: String
    /// The message, without values of rows or credentials.
    var message: String
    /// The name of the constraint that was not met.
    var constraint: String?
    /// Whether the transaction may have been committed: the connection was lost during COMMIT.
    var isInDoubt = false

    /// No answer.
    static func lost(_ message: String) -> PostgresFailure { PostgresFailure(state: "", message: message) }

    /// A value that this program did not write; the rest is sound.
    static func damaged(_ message: String) -> PostgresFailure {
        PostgresFailure(state: "XX001", message: message)
    }

    /// It was not run, since one before it failed.
    static let passedOver = PostgresFailure(state: "JS005", message: "an earlier statement failed")

    /// The wait for a synchronous standby was cancelled; the change is durable here, perhaps not there.
    static let unconfirmed = PostgresFailure(
        state: "JS002", message: "the wait for the standby was cancelled", isInDoubt: true)

    /// The schema has a shape that only newer versions of this program know.
    static func newerVersion(_ version: Int64, than newest: Int64) -> PostgresFailure {
        PostgresFailure(
            state: "0A000",
            message: "its schema has version \(version), and this program knows versions up to \(newest)")
    }

    /// Another store was not copied to the end into this one.
    static let unfinishedCopy = PostgresFailure(state: "JS007", message: "a copy into it was interrupted")

    /// A version of this program before the first release made the schema.
    static func unreleased(_ schema: String) -> PostgresFailure {
        PostgresFailure(state: "JS009", message: schema)
    }

    /// Whether a statement named a column that its table does not have.
    var isUnknownColumn: Bool { state == "42703" }

    /// Whether the transaction met another one and succeeds when it is tried again: serialization failure, deadlock,
    /// a lock that took too long, a row that another server held.
    var isConflict: Bool {
        state == "40001" || state == "40P01" || isLockTimeout || state == Self.heldElsewhere.state
    }

    /// Whether a lock was waited for in vain.
    var isLockTimeout: Bool { state == "55P03" }

    /// Whether a stored value cannot be read; the rest is sound.
    var isDamage: Bool { state == "XX001" }

    /// Whether a constraint of the schema was not met.
    var isConstraint: Bool { state.hasPrefix("23") }

    /// Whether the connection is of no use any more: broken, ended by the server, or to one that takes no writes.
    var isConnectionLost: Bool {
        isInDoubt || state.isEmpty || state.hasPrefix("08") || state.hasPrefix("57P") || state == "25006"
            || state == "25P03"
    }

    /// The same for the callers of the store. `doing` says what was tried.
    func storeError(doing: String) -> JobStoreError {
        var error = said(doing)
        error.isAway = isConnectionLost
        return error
    }

    private func said(_ doing: String) -> JobStoreError {
        if isInDoubt {
            return JobStoreError(
                .unavailable,
                "\(doing): PostgreSQL did not say whether the change is durable (\(message)). It may or may not have "
                    + "been made.")
        }
        switch state {
        case "53100":
            return JobStoreError(
                .diskFull,
                "\(doing): PostgreSQL has no space left (\(message)). Nothing was changed; free some space and try "
                    + "again.")
        case "XX001", "XX002":
            return JobStoreError(
                .corrupt, "\(doing): the database is damaged (\(message)). Restore it from a backup.")
        case "0A000":
            return JobStoreError(
                .unavailable,
                "\(doing): the database was made by a newer version of this program: \(message). Start that newer "
                    + "version, or use another schema.")
        case Self.unfinishedCopy.state:
            return JobStoreError(
                .unavailable,
                "\(doing): the schema is an unfinished copy of another store. Run jobserver copy with the same --from "
                    + "and --to again, and with --restart, which begins the copy anew.")
        case Self.unreleased("").state:
            return JobStoreError(
                .unavailable,
                "\(doing): a version before the first release made the schema \(message), which this one cannot read; "
                    + "choose another with --schema, or remove it with DROP SCHEMA \(message) CASCADE.")
        case "":
            return JobStoreError(
                .unavailable, "\(doing): PostgreSQL does not answer (\(message)). Nothing was changed.")
        default:
            return JobStoreError(
                .unavailable,
                "\(doing): PostgreSQL refused it (\(message), SQLSTATE \(state)). Nothing was changed.")
        }
    }
}
