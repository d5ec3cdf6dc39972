// DESIGN
// Most state transitions pass the detail on and most reads of a row do not use it, so a record from a row has the
// bytes, which are decoded on demand. A record from a state transition has the values.

/// The detail of a job in its record, decoded or not.
package enum StoredDetail: Sendable {
    /// There are no facts.
    case nothing
    /// Only the span of the submission: that of every new job, where traces are on.
    case trace(String)
    /// The values.
    indirect case values(JobDetail)
    /// The values in the store's coding.
    case coded([UInt8])

    /// The values of `detail`.
    package init(_ detail: JobDetail) { self = detail.isEmpty ? .nothing : .values(detail) }

    /// The values; an error that says so when the bytes are damaged.
    package var values: JobDetail {
        switch self {
        case .nothing: JobDetail()
        case .trace(let trace): JobDetail(trace: trace)
        case .values(let detail): detail
        case .coded(let bytes): (try? JobDetail(decoding: bytes)) ?? .damaged
        }
    }

    /// The stored form; empty without facts.
    package var encoded: [UInt8] {
        switch self {
        case .nothing: []
        case .trace(let trace): JobDetail.encoded(trace: trace)
        case .values(let detail): detail.encoded()
        case .coded(let bytes): bytes
        }
    }

    /// The span of the submission, as in `JobDetail`.
    package var trace: String? {
        switch self {
        case .nothing: nil
        case .trace(let trace): trace
        case .values(let detail): detail.trace
        case .coded(let bytes): JobDetail.trace(alone: bytes) ?? values.trace
        }
    }

    /// Whether there are no facts.
    package var isEmpty: Bool { if case .nothing = self { true } else { false } }

    /// The approximate size of the values as JSON, in bytes.
    package var sizeEstimate: Int {
        switch self {
        case .nothing: 0
        case .trace(let trace): 64 + trace.utf8.count
        case .values(let detail): detail.sizeEstimate
        case .coded(let bytes): bytes.count
        }
    }

    /// The values of `detail`, and what an earlier detail keeps until the job is erased.
    package init(_ detail: JobDetail, after earlier: StoredDetail) {
        var detail = detail
        detail.untakenBytes = earlier.untakenBytes
        guard let trace = earlier.trace else {
            self = StoredDetail(detail)
            return
        }
        if detail.isEmpty {
            self = .trace(trace)
        } else {
            detail.trace = trace
            self = .values(detail)
        }
    }

    /// The size of the posts that no operation has taken, as in `JobDetail`.
    package var untakenBytes: Int {
        switch self {
        case .nothing, .trace: 0
        case .values(let detail): detail.untakenBytes
        case .coded(let bytes): JobDetail.trace(alone: bytes) == nil ? values.untakenBytes : 0
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
