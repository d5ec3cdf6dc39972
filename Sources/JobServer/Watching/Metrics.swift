import JobKit
import JobStore
import Synchronization

/// Counters of the HTTP side. Cheap enough for every request.
final class Metrics: Sendable {
    private let answers2xx = Atomic<Int>(0)
    private let answers3xx = Atomic<Int>(0)
    private let answers4xx = Atomic<Int>(0)
    private let answers5xx = Atomic<Int>(0)
    private let approvals = Atomic<Int>(0)
    private let rejections = Atomic<Int>(0)
    private let grants = Atomic<Int>(0)
    /// The times of submissions, from the request to the store's answer.
    let submits = LatencyHistogram()
    /// The ends, times and attempts of jobs.
    let jobs = JobMetrics()
    /// The outcomes of the planned times of schedules.
    let schedules = ScheduleMetrics()
    /// The jobs of bulk actions.
    let bulk = BulkMetrics()
    let uploads = UploadMetrics()
    /// The requests of operations that will go.
    let deprecatedUses = DeprecatedUses()
    /// The deliveries to hooks.
    let hooks = HookMetrics()
    /// The requests to callback URLs.
    let callbacks = CallbackMetrics()
    /// The times that claims of jobs took in the store.
    let claims = LatencyHistogram()
    /// The start of the server.
    let startedAt: Timestamp

    init(startedAt: Timestamp) { self.startedAt = startedAt }

    /// Counts an answer by the class of its status.
    func countAnswer(_ status: Int) {
        switch status {
        case 200..<300: answers2xx.wrappingAdd(1, ordering: .relaxed)
        case 300..<400: answers3xx.wrappingAdd(1, ordering: .relaxed)
        case 400..<500: answers4xx.wrappingAdd(1, ordering: .relaxed)
        default: answers5xx.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// Counts the decision of an approval.
    func countAnswer(isApproved: Bool) {
        if isApproved {
            approvals.wrappingAdd(1, ordering: .relaxed)
        } else {
            rejections.wrappingAdd(1, ordering: .relaxed)
        }
    }

    /// Counts a change of a grant.
    func countGrant() { grants.wrappingAdd(1, ordering: .relaxed) }

    /// The number of approvals that were approved and rejected.
    var approvalAnswers: (approved: Int, rejected: Int) {
        (approvals.load(ordering: .relaxed), rejections.load(ordering: .relaxed))
    }

    /// The number of changes of grants.
    var grantCount: Int { grants.load(ordering: .relaxed) }

    /// The number of answers by class: `2xx`, `3xx`, `4xx`, `5xx`.
    var answers: [(name: String, count: Int)] {
        [
            ("2xx", answers2xx.load(ordering: .relaxed)), ("3xx", answers3xx.load(ordering: .relaxed)),
            ("4xx", answers4xx.load(ordering: .relaxed)), ("5xx", answers5xx.load(ordering: .relaxed)),
        ]
    }
}

/// Counters of the jobs of bulk actions, and how many are left.
final class BulkMetrics: Sendable {
    private struct Counts {
        var settled: [BulkResult.Outcome: Int] = [:]
        /// The number of jobs that each running bulk action has left.
        var left: [BulkID: Int] = [:]
    }

    private let counts = Mutex(Counts())

    func note(_ bulk: BulkRecord, _ results: [BulkResult]) {
        counts.withLock { counts in
            for result in results { counts.settled[result.outcome, default: 0] += 1 }
            counts.left[bulk.id] = bulk.state == .running ? bulk.total - bulk.settled : nil
        }
    }

    func settled(_ outcome: BulkResult.Outcome) -> Int { counts.withLock { $0.settled[outcome] ?? 0 } }

    /// The number of bulk actions that are running, and of the jobs that they have left.
    var running: (count: Int, jobs: Int) {
        counts.withLock { ($0.left.count, $0.left.values.reduce(0, +)) }
    }
}

/// Counters of requests to callback URLs.
final class CallbackMetrics: Sendable {
    /// The effect of a request.
    enum Outcome: String, CaseIterable {
        case taken, repeated, ignored, heard, refused
    }

    private let counts = Mutex<[Outcome: Int]>([:])

    func count(_ outcome: Outcome) { counts.withLock { $0[outcome, default: 0] += 1 } }

    /// The number of requests since the start.
    func total(_ outcome: Outcome) -> Int { counts.withLock { $0[outcome] ?? 0 } }
}

/// Counters of deliveries to hooks.
final class HookMetrics: Sendable {
    private let counts = Mutex<[DeliveryRecord.Outcome: Int]>([:])

    func count(_ outcome: DeliveryRecord.Outcome) { counts.withLock { $0[outcome, default: 0] += 1 } }

    /// The number of deliveries with an outcome since the start.
    func total(_ outcome: DeliveryRecord.Outcome) -> Int { counts.withLock { $0[outcome] ?? 0 } }
}

/// Counters of the planned times of schedules.
final class ScheduleMetrics: Sendable {
    private struct Counts {
        var jobs = 0
        var skipped: [Occurrence.Reason: Int] = [:]
    }

    private let counts = Mutex(Counts())

    func count(_ occurrences: [Occurrence]) {
        counts.withLock { counts in
            for occurrence in occurrences {
                switch occurrence.outcome {
                case .job: counts.jobs += 1
                case .skipped(let reason, _): counts.skipped[reason, default: 0] += 1
                }
            }
        }
    }

    var jobs: Int { counts.withLock { $0.jobs } }

    func skipped(_ reason: Occurrence.Reason) -> Int { counts.withLock { $0.skipped[reason] ?? 0 } }
}

final class UploadMetrics: Sendable {
    private let uploads = Atomic<Int>(0)
    private let bytes = Atomic<Int>(0)

    func count(_ upload: UploadRecord) {
        uploads.wrappingAdd(1, ordering: .relaxed)
        bytes.wrappingAdd(upload.artifact.bytes, ordering: .relaxed)
    }

    /// The number of uploads since the start, and of their bytes.
    var totals: (uploads: Int, bytes: Int) {
        (uploads.load(ordering: .relaxed), bytes.load(ordering: .relaxed))
    }
}
