package import JobKit

/// A value in a row of a table, in no engine's form.
package enum StoredValue: Sendable, Hashable {
    case null
    case number(Int64)
    case text(String)
    case bytes([UInt8])
    case id(JobID)

    /// The space that it takes, roughly.
    package var byteCount: Int {
        switch self {
        case .null, .number, .id: 16
        case .text(let text): text.utf8.count
        case .bytes(let bytes): bytes.count
        }
    }

    package init(_ number: Int64?) { self = number.map { .number($0) } ?? .null }

    package init(_ time: Timestamp?) { self.init(time?.milliseconds) }

    package init(_ text: String?) { self = text.map { .text($0) } ?? .null }

    package init(_ id: JobID?) { self = id.map { .id($0) } ?? .null }
}
