// DESIGN
// Most state transitions pass the detail on and most reads of a row do not use it, so a record from a row has the
// bytes, which are decoded on demand. A record from a state transition has the values.

/// The detail of a job in its record, decoded or not.
package enum StoredDetail: Sendable {
    /// There are no facts.
    case nothing
    /// Only the facts of the submission: that of every new job, where traces or tokens are on.
    case submission(JobDetail.Submission)
    case values(Values)
    /// The values in the store's coding.
    case coded([UInt8])

    /// The values in one place: to use one of them, or to hand them on, copies none.
    package final class Values: Sendable {
        let detail: JobDetail

        init(_ detail: JobDetail) { self.detail = detail }
    }

    /// The values of `detail`.
    package init(_ detail: JobDetail) { self = detail.isEmpty ? .nothing : .values(Values(detail)) }

    /// The values; an error that says so when the bytes are damaged.
    package var values: JobDetail {
        switch self {
        case .nothing: return JobDetail()
        case .submission(let facts): return JobDetail(facts)
        case .values(let known): return known.detail
        case .coded(let bytes):
            do { return try JobDetail(decoding: bytes) } catch { return .damaged }
        }
    }

    /// The call of a job that ended, as in `JobDetail`.
    package var call: JobDetail.Call? {
        if case .values(let known) = self { known.detail.call } else { values.call }
    }

    /// The stored form; empty without facts.
    package var encoded: [UInt8] {
        switch self {
        case .nothing: []
        case .submission(let facts): JobDetail.encoded(facts)
        case .values(let known): known.detail.encoded()
        case .coded(let bytes): bytes
        }
    }

    /// The facts of the submission, as in `JobDetail`.
    package var submission: JobDetail.Submission { kept.submission }

    /// The facts that every later detail has, too.
    package struct Kept: Sendable {
        package var submission = JobDetail.Submission()
        /// As in `JobDetail`.
        package var untakenBytes = 0
        /// As in `JobDetail`.
        package var retries = 0
    }

    /// The facts that every later detail has, too. Decoded at most once.
    package var kept: Kept {
        switch self {
        case .nothing: Kept()
        case .submission(let facts): Kept(submission: facts)
        case .values(let known):
            Kept(
                submission: known.detail.submission, untakenBytes: known.detail.untakenBytes,
                retries: known.detail.retries)
        case .coded(let bytes):
            if let facts = JobDetail.Submission(alone: bytes) {
                Kept(submission: facts)
            } else {
                StoredDetail.values(Values(values)).kept
            }
        }
    }

    /// The span of the submission.
    package var trace: String? { submission.trace }

    /// The same, with other facts of the submission.
    package mutating func submit(_ change: (inout JobDetail.Submission) -> Void) {
        var facts = submission
        change(&facts)
        var detail = values
        detail.submission = facts
        self = StoredDetail(detail, submitted: facts)
    }

    /// Whether there are no facts.
    package var isEmpty: Bool { if case .nothing = self { true } else { false } }

    /// The approximate size of the values as JSON, in bytes.
    package var sizeEstimate: Int {
        switch self {
        case .nothing: 0
        case .submission(let facts): 96 + facts.byteCount
        case .values(let known): known.detail.sizeEstimate
        case .coded(let bytes): bytes.count
        }
    }

    /// The values of `detail`, and what an earlier detail keeps until the job is erased.
    package init(_ detail: JobDetail, after earlier: StoredDetail) {
        var detail = detail
        let kept = earlier.kept
        detail.untakenBytes = kept.untakenBytes
        detail.retries = kept.retries
        self.init(detail, submitted: kept.submission)
    }

    private init(_ detail: JobDetail, submitted facts: JobDetail.Submission) {
        var detail = detail
        detail.submission = JobDetail.Submission()
        if facts.isEmpty {
            self.init(detail)
        } else if detail.isEmpty {
            self = .submission(facts)
        } else {
            detail.submission = facts
            self = .values(Values(detail))
        }
    }

    /// The size of the posts that no operation has taken, as in `JobDetail`.
    package var untakenBytes: Int { kept.untakenBytes }

    /// The number of the retries by people, as in `JobDetail`.
    package var retries: Int { kept.retries }

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

    package func hash(into hasher: inout Hasher) { hasher.combine(values) }
}
