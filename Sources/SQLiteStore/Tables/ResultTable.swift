import JobKit
import JobStore

struct ResultTable {
    private let insert, delete: SQLiteStatement

    init(_ connection: SQLiteConnection) throws(SQLiteFailure) {
        insert = try connection.prepare(
            "INSERT OR REPLACE INTO result (number, status, content_type, headers, body, artifact, content_coding) "
                + "VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")
        delete = try connection.prepare("DELETE FROM result WHERE number = ?1")
    }

    func put(_ result: OperationResult, of number: Int64) throws(SQLiteFailure) {
        insert.bind(1, number)
        insert.bind(2, result.status.map { Int64($0) })
        insert.bind(3, result.contentType)
        insert.bind(4, PairCoding.encode(result.headers.map { ($0.name, $0.value) }))
        insert.bind(6, result.artifact?.encoded)
        insert.bind(7, result.contentCoding)
        try insert.run(with: result.body, at: 5)
    }

    func remove(of number: Int64) throws(SQLiteFailure) {
        delete.bind(1, number)
        try delete.run()
    }
}
