// DESIGN
// Most moves of a job hand its detail on and most reads of a row do not look at it, so a record that comes from a row
// has the bytes, and whoever asks for the values reads them. A record that a move made has the values.

/// The detail of a job as a record carries it.
package enum StoredDetail: Sendable {
    /// Nothing is known.
    case nothing
    /// The values.
    indirect case values(JobDetail)
    /// The values in the store's coding.
    case coded([UInt8])

    /// What `detail` says.
    package init(_ detail: JobDetail) { self = detail.isEmpty ? .nothing : .values(detail) }

    /// The values; none when the bytes are damaged.
    package var values: JobDetail {
        switch self {
        case .nothing: JobDetail()
        case .values(let detail): detail
        case .coded(let bytes): (try? JobDetail(decoding: bytes)) ?? JobDetail()
        }
    }

    /// As it is stored; empty when nothing is known.
    package var encoded: [UInt8] {
        switch self {
        case .nothing: []
        case .values(let detail): detail.encoded()
        case .coded(let bytes): bytes
        }
    }

    /// Whether nothing is known.
    package var isEmpty: Bool { if case .nothing = self { true } else { false } }

    /// About how many bytes the values have as JSON.
    package var sizeEstimate: Int {
        switch self {
        case .nothing: 0
        case .values(let detail): detail.sizeEstimate
        case .coded(let bytes): bytes.count
        }
    }

    /// Changes the values.
    mutating func change(_ change: (inout JobDetail) -> Void) {
        var detail = values
        change(&detail)
        self = StoredDetail(detail)
    }
}

extension StoredDetail: Hashable {
    /// Equal when the values are.
    package static func == (left: StoredDetail, right: StoredDetail) -> Bool {
        if case .coded(let left) = left, case .coded(let right) = right, left == right { return true }
        return left.values == right.values
    }

    /// Hashes the values.
    package func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
