import JobKit
import JobSpec
import JobStore
import StrictJSON

/// One reason why a job or an operation does not go on. `waiting_on` and `/explain` both show these values.
struct WaitCause: Sendable, Hashable {
    /// The thing that is awaited.
    enum Subject: Sendable, Hashable {
        /// The job's `run_at`.
        case start
        /// A claim by the engine, in this queue.
        case queue(String)
        /// A turn in this queue, which has a configuration.
        case line(queue: String, key: String?)
        /// The end of the obstacle to this queue or key.
        case limit(queue: String, key: String?, QueueObstacle)
        /// The end of all jobs ahead with the same unique key; the first of them when the job came.
        case turn(key: String, holder: JobID)
        /// A release by a person; nil when it is not known who holds the job.
        case hold(JournalFold.HoldNote?)
        /// The end of a wait that may suspend the job.
        case wait(OperationWait)
        /// The end of another operation, which must end as the edge requires.
        case dependency(String, EdgeStates?)
        /// The start of the enclosing group.
        case group(String)
        /// A free slot of the group; their number, when all are known to be taken.
        case slot(group: String, of: Int?)
        /// A resumption of the suspended group.
        case suspendedGroup(String)
        /// The evaluation of the operation's conditions.
        case conditions([String])
        /// The end of members; the number of those that are not named.
        case members([String], more: Int)
        /// The end of everything else in the group, which this operation follows.
        case others(group: String)
        /// The end of an attempt that is in flight.
        case work
        /// The end of cancelled work.
        case stop
    }

    var subject: Subject
    /// The operation that waits, in the causes of a job; nil for the job, and in those of an operation.
    var operation: JobDetail.WaitingOperation?
    /// The start of the wait.
    var since: Timestamp?
    /// The latest end of the wait.
    var until: Timestamp?
    /// The number of jobs or operations ahead in the line.
    var ahead: Int?
    /// The job that holds the awaited key.
    var holder: String?

    /// The causes from the record of a job. `/explain` adds those from its journal and its tree.
    static func all(of job: JobRecord, _ detail: JobDetail) -> [WaitCause] {
        switch job.state {
        case .running, .cancelling: return []
        case .queued:
            return [
                WaitCause(
                    subject: job.isInLine ? .line(queue: job.queue, key: job.queueKey) : .queue(job.queue))
            ]
        default: break
        }
        var causes: [WaitCause] = []
        if let hold = detail.hold { causes.append(WaitCause(hold)) }
        if let turn = detail.turn { causes.append(WaitCause(turn)) }
        for operation in detail.waits {
            causes.append(
                WaitCause(
                    subject: .wait(operation.wait), operation: operation, since: operation.since,
                    until: operation.wait.until))
        }
        if causes.isEmpty, job.state == .scheduled {
            causes.append(WaitCause(subject: .start, until: job.dueAt))
        }
        return causes
    }

    /// A hold of the job.
    init(_ hold: JournalFold.HoldNote?) { self.init(subject: .hold(hold), since: hold?.since) }

    /// The causes of a job in the line of its queue: what holds it back, or its turn.
    static func all(of job: QueuedJob) -> [WaitCause] {
        var causes: [WaitCause] = []
        for (key, obstacle) in [(nil, job.obstacle), (job.key, job.keyObstacle)] {
            guard let obstacle else { continue }
            causes.append(
                WaitCause(
                    subject: .limit(queue: job.queue, key: key, obstacle), until: obstacle.opens,
                    ahead: job.ahead))
        }
        let turn = WaitCause(subject: .line(queue: job.queue, key: job.key), ahead: job.ahead)
        return causes.isEmpty ? [turn] : causes
    }

    /// A unique key.
    init(_ turn: JobDetail.Turn) {
        self.init(subject: .turn(key: OwnedText.shown(turn.key), holder: turn.holder), since: turn.since)
    }

    init(
        subject: Subject, operation: JobDetail.WaitingOperation? = nil, since: Timestamp? = nil,
        until: Timestamp? = nil, ahead: Int? = nil, holder: String? = nil
    ) {
        self.subject = subject
        self.operation = operation
        self.since = since
        self.until = until
        self.ahead = ahead
        self.holder = holder
    }

    /// Whether the cause only names other operations of the job, whose own causes are more specific.
    var isInside: Bool {
        switch subject {
        case .dependency, .group, .members, .others: true
        default: false
        }
    }

    // MARK: JSON

    /// Writes `"waiting_on":[…]`, unless it is empty.
    static func write(_ causes: [WaitCause], to json: inout JSONWriter) {
        if causes.isEmpty { return }
        json.name("waiting_on")
        json.beginArray()
        for cause in causes { cause.write(to: &json) }
        json.endArray()
    }

    /// Writes the cause as one JSON object.
    func write(to json: inout JSONWriter) {
        json.beginObject()
        json.member("kind", kind)
        let ref = ref
        if let ref { json.member("ref", ref) }
        if let operation { json.member("operation", OperationAddress.text(of: operation.path)) }
        json.member("detail", detail)
        if case .wait(let wait) = subject, let ref {
            if wait.reason == .approval { json.member("approval", ref) }
            if wait.reason == .origin { json.member("origin", ref) }
        }
        if let since { json.member("since", since) }
        if let until { json.member("estimated_until", until) }
        if let ahead { json.member("ahead", ahead) }
        if let holder { json.member("holder", holder) }
        json.endObject()
    }
}
