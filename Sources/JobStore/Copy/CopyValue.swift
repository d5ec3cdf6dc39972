package import JobKit

/// A value in a row of a `CopyTable`, in no engine's form.
package enum CopyValue: Sendable, Hashable {
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
}
