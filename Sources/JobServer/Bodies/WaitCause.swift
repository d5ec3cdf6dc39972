import JobKit
import JobSpec
import JobStore
import StrictJSON

/// One reason why a job or an operation does not go on. `waiting_on` of jobs, of operations and of `/explain` shows
/// these values.
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
    /// The names below the root of the operation that waits; nil where the job itself does.
    var place: [String]?
    /// The name of the operation that waits, where its cause stands among others' and the detail says it.
    var name: String?
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
                    subject: .wait(operation.wait), place: operation.path, name: operation.name,
                    since: operation.since, until: operation.wait.until))
        }
        if causes.isEmpty, job.state == .scheduled {
            causes.append(WaitCause(subject: .start, until: job.dueAt))
        }
        return causes
    }

    /// Notes that the callback URL which it waits for was handed out.
    mutating func noteHandedOut() {
        guard case .wait(var wait) = subject, wait.reason == .callback else { return }
        wait.detail = OperationWait.handedOut
        subject = .wait(wait)
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
        subject: Subject, place: [String]? = nil, name: String? = nil, since: Timestamp? = nil,
        until: Timestamp? = nil, ahead: Int? = nil, holder: String? = nil
    ) {
        self.subject = subject
        self.place = place
        self.name = name
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
    /// - Parameter naming: whether each says which operation waits.
    static func write(_ causes: [WaitCause], naming: Bool = true, to json: inout JSONWriter) {
        if causes.isEmpty { return }
        json.name("waiting_on")
        json.beginArray()
        for cause in causes { cause.write(naming: naming, to: &json) }
        json.endArray()
    }

    private func write(naming: Bool, to json: inout JSONWriter) {
        json.beginObject()
        if naming, let place { json.member("operation", OperationAddress.text(of: place)) }
        writeFacts(to: &json)
        json.member("since", ifKnown: since)
        json.member("estimated_until", ifKnown: until)
        json.member("ahead", ifKnown: ahead)
        json.member("holder_job_id", ifKnown: holder)
        json.endObject()
    }

    /// Writes the kind, the reason for people, and what is awaited.
    func writeFacts(to json: inout JSONWriter) {
        json.member("kind", kind)
        json.member("detail", detail)
        writeReference(to: &json)
    }

    /// Writes what is awaited, under its own name.
    private func writeReference(to json: inout JSONWriter) {
        switch subject {
        case .queue(let name): json.member("queue", name)
        case .line(let name, let key), .limit(let name, let key, _):
            json.member("queue", name)
            json.member("queue_key", ifKnown: key)
        case .turn(let key, let first):
            json.member("unique_key", key)
            if holder == nil { json.member("holder_job_id", first) }
        case .hold(let note): json.member("by", by: note?.by)
        case .wait(let wait): Self.write(wait, to: &json)
        case .dependency(let name, _):
            if let place { json.member("dependency", OperationAddress.text(of: place.dropLast() + [name])) }
        case .group, .slot, .suspendedGroup, .others:
            if let place { json.member("group", OperationAddress.text(of: place.dropLast())) }
        case .conditions(let types): json.member("conditions", types)
        case .members(let names, _):
            if let place { json.member("members", names.map { OperationAddress.text(of: place + [$0]) }) }
        case .start, .work, .stop: break
        }
    }

    private static func write(_ wait: OperationWait, to json: inout JSONWriter) {
        if wait.reason == .callback {
            json.member("handed_out", wait.detail?.hasSameBytes(as: OperationWait.handedOut) ?? false)
        }
        guard let key = wait.key else { return }
        switch wait.reason {
        case .signal: json.member("signal", key)
        case .approval: json.member("approval_id", key)
        case .grant: json.member("grant", key)
        case .origin: json.member("origin", key)
        case .reachability: json.member("target", key)
        case .exclusion: json.member("locks", key.split(separator: " ").map(String.init))
        case .start, .delay, .retry, .repetition, .poll, .timeWindow, .hold, .callback: break
        }
    }
}
