package import JobKit
internal import StrictJSON

/// The progress of a job.
package struct JobProgress: Sendable, Hashable {
    /// The completed units.
    package var done: Int64
    /// The total units; nil when unknown.
    package var total: Int64?
    /// The unit; nil when the operations name none, or different ones.
    package var unit: String?

    /// 0…100, rounded down; nil when the total is unknown.
    package var percent: Int? {
        guard let total, total > 0 else { return nil }
        return Int(Double(min(max(done, 0), total)) / Double(total) * 100)
    }

    /// A progress that was stored.
    package init(done: Int64, total: Int64?, unit: String?) {
        self.done = done
        self.total = total
        self.unit = unit
    }

    /// The sum over operations.
    package init?(_ parts: [OperationProgress]) {
        guard let first = parts.first else { return nil }
        let units = Set(parts.map { ByteKey($0.text ?? "") })
        unit = units.count == 1 ? first.text : nil
        done = 0
        total = 0
        for part in parts {
            done = done.addingReportingOverflow(part.completed).partialValue
            guard let sum = total, let more = part.total else {
                total = nil
                continue
            }
            total = sum.addingReportingOverflow(more).partialValue
        }
    }
}
