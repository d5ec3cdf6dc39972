import JobStore

/// Specs by the number of their job.
final class SpecTable {
    private let insert, byNumber, delete: SQLiteStatement
    private let rows: RowInsert
    /// The specs of jobs that wait for their first claim.
    var fresh = FreshSpecs()
    /// Longer specs are not gathered.
    private static let gatheredMax = 4_096

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        insert = try connection.prepare("INSERT INTO spec VALUES (?1, ?2)")
        byNumber = try connection.prepare("SELECT bytes FROM spec WHERE number = ?1")
        delete = try connection.prepare("DELETE FROM spec WHERE number = ?1")
        let columns = ["number", "bytes"]
        rows = try RowInsert(into: "spec", columns: columns, scratchBytes: 16_384, on: connection)
    }

    /// Inserts a spec: a short one with others, a long one without a copy.
    func add(_ spec: [UInt8], of number: Int64, gathers: Bool) throws(SQLiteFailure) {
        guard spec.count <= Self.gatheredMax else {
            insert.bind(1, number)
            return try insert.run(with: spec, at: 2)
        }
        try rows.add(gathers: gathers) { statement, base in
            statement.bind(base + 1, number)
            statement.bind(base + 2, spec)
        }
    }

    /// Inserts the gathered rows.
    func insertRows() throws(SQLiteFailure) { try rows.run() }

    /// Discards what the rolled back transaction gathered and cached.
    func rollback() {
        rows.forget()
        fresh = FreshSpecs()
    }

    /// The spec of a job; empty when there is none.
    func bytes(of number: Int64) throws(SQLiteFailure) -> [UInt8] {
        byNumber.bind(1, number)
        defer { byNumber.reset() }
        return try byNumber.step() ? byNumber.bytes(0) : []
    }

    /// Removes the spec of an erased job.
    func remove(of number: Int64) throws(SQLiteFailure) {
        delete.bind(1, number)
        try delete.run()
    }
}
