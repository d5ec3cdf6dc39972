internal import JobKit
internal import JobStore
internal import Synchronization

// DESIGN
// A bulk action is its stored list of ids. The runner settles a few of them in each transaction, which changes the jobs
// and stores their results, so that after a crash it goes on at the first id without a result. One such transaction is
// in flight at a time, and after it comes a pause of the same length: submissions and updates of runs share each commit
// with at most one of them, and half of them with none.
//
// Of servers that share a store, the one that created a bulk action settles it. The others look at its progress now and
// then, and go on with one that makes none. When two do so, one of them finds that the other has moved it, and stops.

/// Settles the jobs of bulk actions, a few at a time.
final class BulkRunner: Sendable {
    private struct Action {
        var record: BulkRecord
        var decision: BulkRules.Decision
        /// The time of the next step.
        var nextAt: Timestamp
        /// The begin of the last step.
        var begunAt: Timestamp
    }

    private struct State {
        /// Nil before the start.
        var reader: (any JobReader)?
        var engine: (any RunControl)?
        var isStopped = false
        var isWorking = false
        var actions: [BulkID: Action] = [:]
        /// The progress of bulk actions that other servers settle, at the last look.
        var others: [BulkID: Int] = [:]
        var lookAt = Timestamp(milliseconds: 0)
        var cleanAt = Timestamp(milliseconds: 0)
    }

    /// The maximum number of jobs in one transaction.
    private static let stepMax = 16
    /// The longest pause after a step.
    private static let restMax = Duration.milliseconds(50)
    /// The retention of bulk actions after their end.
    static let keep = Duration.seconds(30 * 86_400)
    private static let blockedFor = Duration.seconds(60)
    private static let cleanEvery = Duration.seconds(10)
    /// The time without progress after which a bulk action of another server is taken over.
    private static let standstillMax = Duration.seconds(10)

    private let store: any JobStore
    private let loop: any EngineLoop
    private let rules: BulkRules
    private let trouble: @Sendable (EngineTrouble) -> Void
    private let timer = Mutex<(any EngineTimer)?>(nil)
    private let state = Mutex(State())

    /// - Parameter trouble: called when a bulk action cannot go on.
    init(
        store: any JobStore, loop: any EngineLoop, rules: BulkRules,
        trouble: @escaping @Sendable (EngineTrouble) -> Void
    ) {
        self.store = store
        self.loop = loop
        self.rules = rules
        self.trouble = trouble
    }

    private var now: Timestamp { loop.clock.now }
    private var reads: LoopReads { LoopReads(store: store, loop: loop) }

    /// Goes on with the bulk actions that an earlier process left. On the loop.
    /// - Parameter engine: has the runs of jobs.
    func start(_ reader: any JobReader, _ engine: any RunControl) {
        state.withLock { state in
            state.reader = reader
            state.engine = engine
        }
        timer.withLock { $0 = loop.makeTimer { [self] in turn() } }
        takeStored(reader)
    }

    private func takeStored(_ reader: any JobReader) {
        reads.read(with: reader) { reader throws(JobStoreError) in
            try reader.runningBulks(limit: 10_000)
        } then: { [self] found in
            switch found {
            case .success(let records):
                for record in records where state.withLock({ $0.actions[record.id] == nil }) { take(record) }
                turn()
            case .failure(let error):
                trouble(EngineTrouble(detail: "The bulk actions could not be read: \(error.detail)"))
            }
        }
    }

    func stop() { state.withLock { $0.isStopped = true } }

    /// Ends the timer and the connection to the engine, after `stop`. On the loop.
    func release() {
        timer.withLock { $0 = nil }
        state.withLock { $0.engine = nil }
    }

    /// Begins with a bulk action that was stored. From any thread.
    func begin(_ record: BulkRecord) {
        loop.execute { [self] in
            take(record)
            turn()
        }
    }

    /// Removes old bulk actions. On the loop.
    func maintain() {
        let now = now
        let isTime = state.withLock { state -> Bool in
            guard !state.isStopped, state.cleanAt <= now else { return false }
            state.cleanAt = now.advanced(by: Self.cleanEvery)
            return true
        }
        if isTime {
            let old = now.advanced(by: .zero - Self.keep)
            store.perform(RowSweep(.bulks, before: old, limit: 2_000)) { _ in }
        }
    }

    /// Takes over the bulk actions of dead servers. On the loop.
    func lookAtOthers() {
        let now = now
        let isTime = state.withLock { state -> Bool in
            guard !state.isStopped, state.reader != nil, state.lookAt <= now else { return false }
            state.lookAt = now.advanced(by: Self.standstillMax)
            return true
        }
        guard isTime else { return }
        Task(executorPreference: loop) { [self] in
            let found = try? await store.read { reader throws(JobStoreError) in
                try reader.runningBulks(limit: 10_000)
            }
            guard let all = found else { return }
            loop.execute { [self] in
                let known = state.withLock { state -> [BulkID: Int] in
                    let others = all.filter { state.actions[$0.id] == nil }
                    defer {
                        state.others = Dictionary(others.map { ($0.id, $0.settled) }) { first, _ in first }
                    }
                    return state.others
                }
                for record in all where known[record.id] == record.settled { take(record) }
                turn()
            }
        }
    }

    private func take(_ record: BulkRecord) {
        guard record.state == .running else { return rules.progressed(record, []) }
        guard let decision = rules.decision(record) else {
            return trouble(
                EngineTrouble(
                    detail: "The bulk action \(record.id) cannot be read by this version, and does not go on."
                ))
        }
        let now = now
        state.withLock {
            $0.actions[record.id] = Action(record: record, decision: decision, nextAt: now, begunAt: now)
        }
        rules.progressed(record, [])
    }

    /// Begins the next step. On the loop.
    private func turn() {
        let now = now
        let next = state.withLock { state -> Action? in
            guard !state.isStopped, !state.isWorking, state.reader != nil else { return nil }
            // A clock that was set back since would let them wait for as long as the step.
            for (id, action) in state.actions where action.nextAt.since(now) > Self.blockedFor {
                state.actions[id]?.nextAt = now
            }
            // Those that are due take turns, since a step puts its action behind the others.
            let next = state.actions.values.min { ($0.nextAt, $0.record.id) < ($1.nextAt, $1.record.id) }
            if let next, next.nextAt <= now {
                state.isWorking = true
                state.actions[next.record.id]?.begunAt = now
            }
            return next
        }
        guard let next else { return }
        if next.nextAt > now {
            timer.withLock { $0 }?.schedule(
                after: min(loop.clock.remaining(until: next.nextAt), .seconds(30)))
            return
        }
        let (id, decision) = (next.record.id, next.decision)
        let step = BulkStep(
            id: id, place: next.record.settled, count: Self.count(next.record), at: now, code: rules.code,
            decide: { decision($0, now) })
        let store = store.writingForServer(of: Tenant(ofText: next.record.createdBy))
        store.perform(step) { [self] reply in
            if case .success(let receipt) = reply { tellRuns(of: receipt) }
            loop.execute { [self] in
                note(reply, of: id)
                state.withLock { $0.isWorking = false }
                turn()
            }
        }
    }

    /// Tells the runs of jobs what became of them.
    private func tellRuns(of receipt: BulkReceipt) {
        let engine = state.withLock { $0.engine }
        if !receipt.requests.isEmpty { engine?.take(receipt.requests) }
    }

    /// The number of jobs in one step: with a rate about a tenth of a second's.
    private static func count(_ record: BulkRecord) -> Int {
        min(record.perSecond.map { max(1, $0 / 10) } ?? stepMax, stepMax)
    }

    private func note(_ reply: Result<BulkReceipt, JobStoreError>, of id: BulkID) {
        switch reply {
        case .success(let receipt):
            moved(receipt.record, by: receipt.results.count)
            rules.progressed(receipt.record, receipt.results)
        case .failure(let error):
            switch error.code {
            case .moved(.bulk), .missing(.bulk): lookAgain(id)
            default: wait(id, error)
            }
        }
    }

    private func moved(_ record: BulkRecord, by count: Int) {
        let now = now
        let isOver = record.state != .running
        state.withLock { state in
            if isOver {
                state.actions[record.id] = nil
                return
            }
            state.actions[record.id]?.record = record
            // A late timer is made up for, a stop of the machine is not.
            let begun = max(state.actions[record.id]?.nextAt ?? now, now.advanced(by: .milliseconds(-100)))
            let pause = record.perSecond.map { Duration.milliseconds((count * 1_000 + $0 - 1) / $0) }
            let taken = now.since(state.actions[record.id]?.begunAt ?? now)
            let rest = now.advanced(by: min(max(taken, .zero), Self.restMax))
            state.actions[record.id]?.nextAt = max(pause.map { begun.advanced(by: $0) } ?? now, rest)
        }
    }

    /// Reads a bulk action again that a person has stopped, or that another server has moved.
    private func lookAgain(_ id: BulkID) {
        guard let reader = state.withLock({ $0.reader }) else { return }
        let isShared = store.isShared
        if isShared {
            // The read takes a while, in which no step begins.
            let date = now.advanced(by: Self.blockedFor)
            state.withLock { $0.actions[id]?.nextAt = date }
        }
        reads.read(with: reader) { reader throws(JobStoreError) in
            try reader.bulk(id)
        } then: { [self] found in
            switch found {
            case .success(let record):
                let goesOn = state.withLock { state in
                    // On a shared store the server that has moved it goes on.
                    let known = record?.state == .running && !isShared ? state.actions[id] : nil
                    state.actions[id] = known
                    if let record { state.actions[id]?.record = record }
                    return known != nil
                }
                if let record, !goesOn { rules.progressed(record, []) }
            case .failure(let error):
                wait(id, error)
                turn()
            }
        }
    }

    private func wait(_ id: BulkID, _ error: JobStoreError) {
        if !error.isRetryable {
            trouble(EngineTrouble(detail: "The bulk action \(id) could not go on: \(error.detail)"))
        }
        let date = now.advanced(by: error.isRetryable ? .milliseconds(500) : Self.blockedFor)
        state.withLock { $0.actions[id]?.nextAt = date }
    }
}
