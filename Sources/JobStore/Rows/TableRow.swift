package import JobKit

/// A record that is a row of one table.
package protocol TableRow: Sendable {
    static var table: StoredTable { get }

    /// Reads a row, column by column; nil for one that this program does not know.
    init?(_ row: inout RowValues) throws(StoredFormError)

    /// The values of the columns, in their order.
    var values: [StoredValue] { get }
}

/// The values of a row, read in the order of the columns.
package struct RowValues: Sendable {
    private let values: [StoredValue]
    private var place = 0

    package init(_ values: [StoredValue]) { self.values = values }

    package mutating func next() -> StoredValue {
        defer { place += 1 }
        return place < values.count ? values[place] : .null
    }

    package mutating func optionalNumber() -> Int64? {
        if case .number(let number) = next() { number } else { nil }
    }

    /// A number; 0 for NULL.
    package mutating func number() -> Int64 { optionalNumber() ?? 0 }

    package mutating func optionalTime() -> Timestamp? {
        optionalNumber().map { Timestamp(milliseconds: $0) }
    }

    package mutating func time() -> Timestamp { Timestamp(milliseconds: number()) }

    package mutating func optionalText() -> String? { if case .text(let text) = next() { text } else { nil } }

    /// A text; empty for NULL.
    package mutating func text() -> String { optionalText() ?? "" }

    /// Bytes; none for NULL.
    package mutating func bytes() -> [UInt8] { if case .bytes(let bytes) = next() { bytes } else { [] } }

    package mutating func optionalID() -> JobID? { if case .id(let id) = next() { id } else { nil } }

    /// An id; all zeros for NULL.
    package mutating func id() -> JobID { optionalID() ?? JobID(high: 0, low: 0) }
}
