import CPostgres
import JobKit

/// The answer to a statement, with its values in binary form.
// Safe because the pointer never leaves this file, and is freed once, in `deinit`.
@safe final class PostgresRows {
    private let result: OpaquePointer

    /// Takes over a result.
    init(_ result: OpaquePointer) { unsafe self.result = result }

    deinit { unsafe PQclear(result) }

    /// The number of rows.
    var count: Int { unsafe Int(PQntuples(result)) }

    /// The number of rows that the statement changed.
    var changed: Int {
        unsafe Int(String(cString: PQcmdTuples(result))) ?? 0
    }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        unsafe PQgetisnull(result, CInt(row), CInt(column)) != 0
    }

    /// A value as bytes; empty for NULL.
    func bytes(_ row: Int, _ column: Int) -> [UInt8] {
        let length = unsafe Int(PQgetlength(result, CInt(row), CInt(column)))
        guard length > 0, let start = unsafe PQgetvalue(result, CInt(row), CInt(column)) else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: length))
    }

    func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }

    func optionalText(_ row: Int, _ column: Int) -> String? {
        isNull(row, column) ? nil : text(row, column)
    }

    /// A whole number of any width, or a truth value as 0 or 1; 0 for NULL.
    func integer(_ row: Int, _ column: Int) -> Int64 {
        let bytes = bytes(row, column)
        let value = bytes.reduce(into: UInt64(0)) { $0 = $0 << 8 | UInt64($1) }
        let spare = 64 - 8 * min(8, bytes.count)
        // The sign of a narrow number goes all the way up.
        return bytes.count <= 1 ? Int64(value) : Int64(bitPattern: value << spare) >> spare
    }

    func time(_ row: Int, _ column: Int) -> Timestamp? {
        isNull(row, column) ? nil : Timestamp(milliseconds: integer(row, column))
    }

    func id(_ row: Int, _ column: Int) -> JobID {
        let words = bytes(row, column)
        func number(_ part: ArraySlice<UInt8>) -> UInt64 { part.reduce(0) { $0 << 8 | UInt64($1) } }
        return JobID(high: number(words.prefix(8)), low: number(words.dropFirst(8)))
    }
}
