import JobJournal
import JobKit
import JobRunner
import JobSpec
import JobStore
import StrictJSON

/// The reasons why a job and each of its unfinished operations wait.
struct JobExplanation: Sendable {
    /// An unfinished operation.
    struct Entry: Sendable {
        let operation: OperationView
        let causes: [WaitCause]
        /// Of one that waits for a request to its callback URL.
        let callback: CallbackBody?
    }

    /// Why an operation of the job waits for exclusive keys.
    typealias KeyStandings = (_ path: [String], _ keys: [String]) throws(JobStoreError) -> KeyStanding

    let job: JobRecord
    let causes: [WaitCause]
    let entries: [Entry]

    /// The maximum number of unfinished operations that contribute to the job's causes.
    private static let tellingMax = 100

    /// - Parameters:
    ///   - page: the unfinished operations to explain.
    ///   - live: the explanations of the running tree.
    ///   - ahead: the number of jobs ahead of it in the queue.
    ///   - queued: its standing in the line of its queue.
    ///   - line: the line for its unique key, while it waits in it.
    ///   - standing: why an operation waits for exclusive keys.
    init(
        _ outline: JobOutline, page: ArraySlice<JobOutline.Spot>, live: [OperationExplanation], ahead: Int?,
        queued: QueuedJob?, line: UniqueLine?, standing: @escaping KeyStandings
    ) throws(Problem) {
        job = outline.job
        let first = outline.spots(.open, limit: Self.tellingMax)
        let reader = try CauseReader(outline, first + page, live: live, standing: standing)
        entries = try stored(reader.entries(of: page))
        let telling = try stored(reader.entries(of: first[...]))
        causes = Self.causes(of: outline, ahead: ahead, queued, line, telling, isLive: !live.isEmpty)
    }

    /// Creates the explanation of a finished job, which waits for nothing.
    init(final job: JobRecord) {
        self.job = job
        causes = []
        entries = []
    }

    private static func causes(
        of outline: JobOutline, ahead: Int?, _ queued: QueuedJob?, _ line: UniqueLine?, _ entries: [Entry],
        isLive: Bool
    ) -> [WaitCause] {
        let job = outline.job
        if job.state.isFinal { return [] }
        if let hold = outline.hold { return [WaitCause(hold)] }
        let detail = job.detail.values
        if job.state == .pending, let line, let turn = detail.turn {
            var cause = WaitCause(turn)
            cause.ahead = line.ahead
            cause.holder = line.holder.description
            return [cause]
        }
        switch job.state {
        case .queued where queued != nil: return queued.map { WaitCause.all(of: $0) } ?? []
        case .queued, .scheduled:
            var causes = WaitCause.all(of: job, detail)
            if let ahead { causes[0].ahead = ahead }
            return causes
        case .cancelling where !isLive: return [WaitCause(subject: .stop)]
        default:
            // The causes of the innermost operations are the most specific.
            let telling = entries.flatMap(\.causes).filter { !$0.isInside }
            return telling.isEmpty ? entries.first?.causes ?? [] : Array(telling.prefix(20))
        }
    }

    private var summary: String {
        guard let first = causes.first else { return ended?.summary ?? "The job is \(job.state.rawValue)." }
        let line = first.ahead.map { $0 > 0 ? " \($0) before it." : "" } ?? ""
        return first.summary(of: job.state) + line
    }

    private var ended: EndedExplanation? { job.state.isFinal ? EndedExplanation(job) : nil }

    /// Writes the explanation as one JSON object.
    /// - Parameter next: the token of the next page of operations; nil on the last one.
    func write(next token: String? = nil, to json: inout JSONWriter) {
        json.beginObject()
        json.member("job_id", job.id)
        json.member("state", job.state.rawValue)
        json.member("summary", summary)
        json.member("next", ifKnown: causes.first?.next(of: job.id) ?? ended?.next)
        if let error = ended?.error {
            ErrorBody.append("error", error.short, wholeAt: JobPath.text(job.id), to: &json)
        }
        WaitCause.write(causes, to: &json)
        json.name("operations")
        json.beginArray()
        for entry in entries { write(entry, to: &json) }
        json.endArray()
        json.member("next_page_token", ifKnown: token)
        json.endObject()
    }

    private func write(_ entry: Entry, to json: inout JSONWriter) {
        json.beginObject()
        json.member("operation", OperationAddress.text(of: entry.operation.path))
        json.member("type", entry.operation.type)
        json.member("state", entry.operation.state.rawValue)
        json.member("next", ifKnown: entry.causes.first?.next(of: job.id))
        WaitCause.write(entry.causes, naming: false, to: &json)
        entry.callback?.append(to: &json)
        json.endObject()
    }
}

/// Finds the causes of one operation after another.
private struct CauseReader {
    private let outline: JobOutline
    private let live: [[String]: OperationExplanation]
    private let standing: JobExplanation.KeyStandings
    private let edges: [[String]: [OperationSpec.AfterEdge]]
    private let views: OperationViews

    /// - Parameter spots: the operations to explain.
    init(
        _ outline: JobOutline, _ spots: [JobOutline.Spot], live: [OperationExplanation],
        standing: @escaping JobExplanation.KeyStandings
    ) throws(Problem) {
        self.outline = outline
        self.standing = standing
        self.live = Dictionary(live.map { (Array($0.path.dropFirst()), $0) }) { first, _ in first }
        let edges = Dictionary(
            SpecPlan(outline.spec).operations.map { (Array($0.path.dropFirst()), $0.after) }
        ) { first, _ in first }
        self.edges = edges
        let before = spots.flatMap { spot in
            (edges[spot.path] ?? []).map { Array(spot.path.dropLast()) + [$0.operation] }
        }
        views = try outline.views(of: spots.map(\.path) + before)
    }

    func entries(
        of spots: ArraySlice<JobOutline.Spot>
    ) throws(JobStoreError) -> [JobExplanation.Entry] {
        var entries: [JobExplanation.Entry] = []
        for spot in spots {
            guard let view = views[spot.path], !view.state.isFinal else { continue }
            let callback = outline.hasCallback(at: view.path) ? try outline.callback(at: view.path) : nil
            var causes = try causes(of: view)
            for index in causes.indices {
                causes[index].place = view.path
                if callback?.isHandedOut == true { causes[index].noteHandedOut() }
            }
            entries.append(JobExplanation.Entry(operation: view, causes: causes, callback: callback))
        }
        return entries
    }

    func causes(of view: OperationView) throws(JobStoreError) -> [WaitCause] {
        if let explanation = live[view.path] {
            var found: [WaitCause] = []
            for cause in explanation.causes {
                found += try causes(from: cause, of: view, since: explanation.since)
            }
            return found
        }
        if let wait = view.wait {
            if let hold = outline.hold, outline.hasCome(wait) { return [WaitCause(hold)] }
            return held(wait) + [try cause(of: wait, view)]
        }
        if view.startedAt == nil, view.state == .pending || view.state == .queued {
            return causesBeforeStart(of: view)
        }
        let inside = outline.spot(at: view.path).map { outline.openNames(inside: $0, limit: 20) }
        guard let inside, !inside.names.isEmpty else {
            if outline.job.state == .queued { return [WaitCause(subject: .queue(outline.job.queue))] }
            return view.path.isEmpty ? [] : [WaitCause(subject: .work)]
        }
        return [WaitCause(subject: .members(inside.names, more: inside.more))]
    }

    private func causesBeforeStart(of view: OperationView) -> [WaitCause] {
        guard !view.path.isEmpty else { return [] }
        let parent = Array(view.path.dropLast())
        if let group = views[parent], group.startedAt == nil {
            return [WaitCause(subject: .group(group.name))]
        }
        let open = (edges[view.path] ?? []).filter { views[parent + [$0.operation]]?.state.isFinal != true }
        if !open.isEmpty { return open.map { WaitCause(subject: .dependency($0.operation, $0.states)) } }
        if let hold = outline.hold { return [WaitCause(hold)] }
        let finals = outline.spot(at: parent)?.operation.finals ?? []
        if finals.contains(where: { $0.name == view.name }) {
            return [WaitCause(subject: .others(group: views[parent]?.name ?? ""))]
        }
        if views[parent]?.type == "repeat", let run = view.path.last.flatMap({ Int($0) }) {
            return run > 1 ? [WaitCause(subject: .dependency(String(run - 1), nil))] : []
        }
        return [WaitCause(subject: .slot(group: views[parent]?.name ?? "", of: nil))]
    }

    /// The hold that keeps an operation from starting after its wait.
    private func held(_ wait: OperationWait) -> [WaitCause] {
        guard let hold = outline.hold, WaitWords.of(wait).isBeforeMore else { return [] }
        return [WaitCause(hold)]
    }

    private func cause(of wait: OperationWait, _ view: OperationView) throws(JobStoreError) -> WaitCause {
        if wait.reason == .hold { return WaitCause(outline.hold) }
        var cause = WaitCause(subject: .wait(wait), since: view.waitingSince, until: wait.until)
        guard wait.reason == .exclusion, let keys = wait.key else { return cause }
        let found = try standing(view.path, keys.split(separator: " ").map(String.init))
        cause.holder = found.holder?.description
        cause.ahead = found.ahead
        return cause
    }

    private func causes(
        from cause: OperationExplanation.Cause, of view: OperationView, since: Timestamp
    ) throws(JobStoreError) -> [WaitCause] {
        var found: WaitCause
        switch cause {
        case .dependency(let name, _): found = WaitCause(subject: .dependency(name, nil))
        case .group(let name): found = WaitCause(subject: .group(name))
        case .suspendedQueue(let name): found = WaitCause(subject: .suspendedGroup(name))
        case .hold: found = WaitCause(outline.hold)
        case .conditions(let names): found = WaitCause(subject: .conditions(names))
        case .exclusiveKeys(let keys, _, _):
            let wait = OperationWait(reason: .exclusion, key: keys.joined(separator: " "))
            return [try self.cause(of: wait, view)]
        case .uniqueKey(let key, let holder, let ahead):
            found = WaitCause(
                subject: .wait(OperationWait(reason: .exclusion, key: key)), ahead: ahead, holder: holder)
        case .capacity(let count, let ahead):
            let group = view.path.dropLast().last ?? view.name
            found = WaitCause(subject: .slot(group: group, of: count), ahead: ahead)
        case .lasting(let wait): return held(wait) + [try self.cause(of: wait, view)]
        case .members(let names, let more): found = WaitCause(subject: .members(names, more: more))
        case .itself: found = WaitCause(subject: .work)
        case .stopping: found = WaitCause(subject: .stop)
        }
        found.since = found.since ?? since
        return [found]
    }
}
