import JobKit
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
