import JobKit

/// The answer to a statement, with its values in binary form.
// Safe because the pointer never leaves this file, and is freed once, in `deinit`.
@safe final class PostgresRows {
    private let result: OpaquePointer
    private let pq: LibPQ

    /// Takes over a result.
    init(_ result: OpaquePointer, _ pq: LibPQ) {
        unsafe self.result = result
        self.pq = pq
    }

    deinit { unsafe pq.clear(result) }

    /// The number of rows.
    var count: Int { unsafe Int(pq.rowCount(result)) }

    /// The number of rows that the statement changed.
    var changed: Int {
        unsafe pq.changedCount(result).flatMap { unsafe Int(String(cString: $0)) } ?? 0
    }

    func isNull(_ row: Int, _ column: Int) -> Bool {
        unsafe pq.isNull(result, CInt(row), CInt(column)) != 0
    }

    /// A value as bytes; empty for NULL.
    func bytes(_ row: Int, _ column: Int) -> [UInt8] {
        let length = unsafe Int(pq.length(result, CInt(row), CInt(column)))
        guard length > 0, let start = unsafe pq.value(result, CInt(row), CInt(column)) else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: length))
    }

    func text(_ row: Int, _ column: Int) -> String { String(decoding: bytes(row, column), as: UTF8.self) }

    func optionalText(_ row: Int, _ column: Int) -> String? {
        isNull(row, column) ? nil : text(row, column)
    }

    /// A whole number of any width, or a truth value as 0 or 1; 0 for NULL.
    func integer(_ row: Int, _ column: Int) -> Int64 {
        let length = unsafe Int(pq.length(result, CInt(row), CInt(column)))
        guard (1...8).contains(length) else { return 0 }
        let value = number(row, column, from: 0, count: length)
        let spare = UInt64(64 - 8 * length)
        // The sign of a narrow number goes all the way up.
        return length == 1 ? Int64(value) : Int64(bitPattern: value << spare) >> Int64(spare)
    }

    func optionalInteger(_ row: Int, _ column: Int) -> Int64? {
        isNull(row, column) ? nil : integer(row, column)
    }

    /// A part of a value, which must be there, as a number whose highest byte comes first.
    private func number(_ row: Int, _ column: Int, from start: Int, count: Int) -> UInt64 {
        guard let bytes = unsafe pq.value(result, CInt(row), CInt(column)) else { return 0 }
        return unsafe UnsafeRawBufferPointer(start: bytes + start, count: count)
            .reduce(0) { $0 << 8 | UInt64($1) }
    }

    func time(_ row: Int, _ column: Int) -> Timestamp? {
        isNull(row, column) ? nil : Timestamp(milliseconds: integer(row, column))
    }

    /// An id; all zeros for NULL.
    func id(_ row: Int, _ column: Int) -> JobID {
        guard unsafe pq.length(result, CInt(row), CInt(column)) == 16 else { return JobID(high: 0, low: 0) }
        return JobID(
            high: number(row, column, from: 0, count: 8), low: number(row, column, from: 8, count: 8))
    }

    /// All values of a column of ids.
    func ids(_ column: Int = 0) -> [JobID] { (0..<count).map { id($0, column) } }

    /// A list of names, stored with a separator between them.
    func names(_ row: Int, _ column: Int, by separator: Character) -> [String] {
        text(row, column).split(separator: separator).map(String.init)
    }
}
