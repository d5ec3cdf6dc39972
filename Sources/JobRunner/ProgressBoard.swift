internal import JobKit
package import StrictJSON
internal import Synchronization

/// The progress of the jobs that run here.
final class ProgressBoard: Sendable {
    private struct Table {
        var jobs: [JobID: [[String]: AOperationProgress]] = [:]
    }

    private let table = Mutex(Table())
    private let count = Atomic<Int>(0)

    /// Records the progress of an operation.
    func note(_ progress: AOperationProgress, of path: [String], in id: JobID) {
        table.withLock { table in
            table.jobs[id, default: [:]][path] = progress
            count.store(table.jobs.count, ordering: .relaxed)
        }
    }

    /// Removes a job that does not run any more.
    func forget(_ id: JobID) {
        guard count.load(ordering: .relaxed) > 0 else { return }
        table.withLock { table in
            table.jobs[id] = nil
            count.store(table.jobs.count, ordering: .relaxed)
        }
    }

    /// The progress of a job: the sum over its operations; nil when none reports any. Cheap when no job does.
    func progress(of id: JobID) -> JobProgress? {
        guard count.load(ordering: .relaxed) > 0 else { return nil }
        return table.withLock { $0.jobs[id] }.flatMap { JobProgress(Array($0.values)) }
    }
}

/// The progress of a running job, as its operations report it.
package struct JobProgress: Sendable, Hashable {
    /// The units done.
    package var done: Int64
    /// The total units; nil when unknown.
    package var total: Int64?
    /// The unit; nil when the operations report none, or different ones.
    package var unit: String?

    /// 0…100, rounded down; nil when the total is unknown.
    package var percent: Int? {
        guard let total, total > 0 else { return nil }
        return Int(Double(min(max(done, 0), total)) / Double(total) * 100)
    }

    /// The sum of the progress of operations.
    init?(_ parts: [AOperationProgress]) {
        guard let first = parts.first else { return nil }
        unit = parts.allSatisfy { $0.text == first.text } ? first.text : nil
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

    /// Writes `{done, total, unit, percent}` without unknown members.
    package func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.member("done", done)
        if let total { writer.member("total", total) }
        if let unit { writer.member("unit", unit) }
        if let percent { writer.member("percent", percent) }
        writer.endObject()
    }
}
