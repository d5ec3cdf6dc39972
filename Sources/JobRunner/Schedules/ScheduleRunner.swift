internal import JobKit
internal import JobSpec
internal import JobStore
internal import Synchronization

// DESIGN
// The store keeps the next planned time of each schedule. When it has come, the runner decides (`ScheduleTurn`), makes
// the jobs, and stores decisions, jobs and the next planned time in one transaction, if the schedule still has the
// revision that was read. So after a crash the same planned times are due again, and of two servers one is refused: a
// planned time gets one job. Without schedules one small read every ten seconds is all.

/// Makes the jobs of schedules when their time has come.
final class ScheduleRunner: Sendable {
    private struct State {
        /// Nil before the start.
        var reader: (any JobReader)?
        var take: @Sendable ([RunRequest]) -> Void = { _ in }
        var isStopped = false
        var isWorking = false
        /// Whether a schedule may have changed since the last look.
        var mayHaveMore = false
        /// Callers that wait until nothing is due.
        var waiting: [@Sendable () -> Void] = []
        var edits = ScheduleEdits()
        /// Whether there were schedules at the last look.
        var hasSchedules = false
        var specs: [String: (body: [UInt8], spec: ScheduleSpec)] = [:]
        /// Schedules that could not be handled, and when they are tried again.
        var blocked: [String: Timestamp] = [:]
        var cleanAt = Timestamp(milliseconds: 0)
    }

    /// The maximum number of schedules handled at once.
    private static let turnsMax = 64
    /// The number of steps from which on a round begins no further schedule, so that others get the loop.
    private static let stepsMax = 1_000
    private static let maintainedEvery = Duration.seconds(10)
    /// The pause of a schedule that cannot be handled.
    private static let blockedFor = Duration.seconds(60)
    /// The number of specs from which on they are all dropped, to be read again when they are needed.
    private static let specsMax = 10_000

    private let store: any JobStore
    private let loop: any EngineLoop
    private let jobs: ScheduledJobs
    private let trouble: @Sendable (EngineTrouble) -> Void
    private let timer = Mutex<(any EngineTimer)?>(nil)
    private let state = Mutex(State())

    /// - Parameter trouble: called when a schedule cannot be handled.
    init(
        store: any JobStore, loop: any EngineLoop, jobs: ScheduledJobs,
        trouble: @escaping @Sendable (EngineTrouble) -> Void
    ) {
        self.store = store
        self.loop = loop
        self.jobs = jobs
        self.trouble = trouble
    }

    private var now: Timestamp { loop.clock.now }

    /// Begins with the planned times that an earlier process left. On the loop.
    /// - Parameter take: stops the runs of jobs that were cancelled.
    func start(_ reader: any JobReader, take: @escaping @Sendable ([RunRequest]) -> Void) {
        state.withLock { state in
            state.reader = reader
            state.take = take
        }
        timer.withLock { $0 = loop.makeTimer { [self] in look() } }
        look()
    }

    func stop() { state.withLock { $0.isStopped = true } }

    /// Ends the timer and the connections to the engine, after `stop`. On the loop.
    func release() {
        timer.withLock { $0 = nil }
        state.withLock { $0.take = { _ in } }
    }

    /// Looks for schedules whose time has come, and then calls `done`. From any thread.
    func look(then done: @escaping @Sendable () -> Void = {}) {
        loop.execute { [self] in
            state.withLock { state in
                state.waiting.append(done)
                state.mayHaveMore = true
            }
            turn()
        }
    }

    /// Makes the jobs of the planned times of one schedule that are due, and then calls `done`: before long, also
    /// while a backfill goes on, or very many planned times are made up for. From any thread.
    func settle(_ name: String, then done: @escaping @Sendable () -> Void) {
        loop.execute { [self] in
            state.withLock { state in
                state.edits.begin(name, done)
                state.mayHaveMore = true
            }
            turn()
        }
    }

    /// Removes old occurrences, and looks whether another server has changed a schedule. On the loop.
    func maintain() {
        let now = now
        let hasSchedules = state.withLock { state -> Bool? in
            guard !state.isStopped, state.cleanAt <= now else { return nil }
            state.cleanAt = now.advanced(by: Self.maintainedEvery)
            return state.hasSchedules
        }
        guard let hasSchedules else { return }
        if hasSchedules {
            let old = now.advanced(by: .zero - ScheduleTurn.keep)
            store.perform(RowSweep(.occurrences, before: old, limit: 2_000)) { _ in }
        }
        // Another server may have stored a schedule, or stopped.
        look()
    }

    /// One round over the schedules that are due. On the loop.
    private func turn() {
        let reader = state.withLock { state -> (any JobReader)? in
            guard !state.isStopped, !state.isWorking, state.mayHaveMore, let reader = state.reader else {
                return nil
            }
            state.isWorking = true
            state.mayHaveMore = false
            state.edits.beginRound()
            return reader
        }
        guard let reader else { return tellIfStopped() }
        LoopReads(store: store, loop: loop).read(with: reader) { [self] reader throws(JobStoreError) in
            try round(reader)
        } then: { [self] found in
            switch found {
            case .success(let end): if let end { over(next: end.next) }
            case .failure: over(next: now.advanced(by: .milliseconds(500)))
            }
        }
    }

    /// The end of a round that found nothing to settle.
    private struct Round: Sendable {
        /// When the next schedule is due.
        var next: Timestamp?
    }

    /// Reads the schedules and settles those that are due; nil when there are some.
    private func round(_ reader: any JobReader) throws(JobStoreError) -> Round? {
        let now = now
        let blocked = state.withLock { state in
            state.blocked = state.blocked.filter { $0.value > now }
            return state.blocked
        }
        let asked = try asked(reader).filter { blocked[$0.name] == nil }
        let waking = try reader.schedulesToWake(limit: Self.turnsMax + blocked.count + 1)
        if !waking.isEmpty { state.withLock { $0.hasSchedules = true } }
        let free = waking.filter { blocked[$0.name] == nil }
        let names = asked.map(\.name)
        let due = (asked + free.filter { !names.contains($0.name) })
            .filter { $0.progress.wakeAt ?? .never <= now }
        if due.isEmpty {
            let dates = [free.first?.progress.wakeAt, blocked.values.min()].compactMap(\.self)
            return Round(next: dates.min())
        }
        settle(Array(due.prefix(Self.turnsMax)), reader)
        return nil
    }

    /// The schedules that are to be changed: they come first.
    private func asked(_ reader: any JobReader) throws(JobStoreError) -> [ScheduleRecord] {
        var found: [ScheduleRecord] = []
        for name in state.withLock({ $0.edits.names(limit: Self.turnsMax) }) {
            if let record = try reader.schedule(name) { found.append(record) }
        }
        return found
    }

    private func over(next: Timestamp?) {
        let (edits, waiting) = state.withLock { state -> ([@Sendable () -> Void], [@Sendable () -> Void]?) in
            state.isWorking = false
            let edits = state.edits.endRound()
            // Those who asked during this round wait for the next one.
            if state.mayHaveMore { return (edits, nil) }
            defer { state.waiting = [] }
            return (edits, state.waiting)
        }
        for done in edits { done() }
        guard let waiting else { return turn() }
        for done in waiting { done() }
        guard let next else { return }
        let wait = max(.milliseconds(1), loop.clock.remaining(until: next))
        timer.withLock { $0 }?.schedule(after: min(wait, .seconds(30)))
    }

    private func tellIfStopped() {
        let waiting = state.withLock { state -> [@Sendable () -> Void] in
            guard state.isStopped || state.reader == nil else { return [] }
            defer { state.waiting = [] }
            return state.waiting + state.edits.endAll()
        }
        for done in waiting { done() }
    }

    /// Settles several schedules, whose changes the store commits together, and goes on when all are stored.
    private func settle(_ due: [ScheduleRecord], _ reader: any JobReader) {
        state.withLock { $0.edits.note(due: due.map(\.name)) }
        let left = Mutex(1)
        let ended: @Sendable () -> Void = { [self] in
            guard
                left.withLock({ count in
                    count -= 1
                    return count == 0
                })
            else { return }
            loop.execute { [self] in
                let edits = state.withLock { state in
                    state.isWorking = false
                    state.mayHaveMore = true
                    return state.edits.endRound()
                }
                for done in edits { done() }
                turn()
            }
        }
        var steps = 0
        for record in due where steps < Self.stepsMax {
            left.withLock { $0 += 1 }
            do throws(JobStoreError) {
                guard let change = try change(of: record, reader, &steps) else {
                    block(record.name)
                    ended()
                    continue
                }
                let ids = change.planned.compactMap(\.job?.record.id)
                let tenant = Tenant(ofStored: record.name)
                let store = store.writingForServer(of: tenant)
                store.perform(change) { [self] reply in
                    if let tenant {
                        jobs.unmade(ScheduleReceipt.unmade(ids, by: reply), tenant)
                    }
                    stored(record.name, reply)
                    ended()
                }
            } catch {
                stored(record.name, .failure(error))
                ended()
            }
        }
        ended()
    }

    private func stored(_ name: String, _ reply: Result<ScheduleReceipt, JobStoreError>) {
        switch reply {
        case .success(let receipt):
            // A backfill goes on without them, and so do missed planned times that wait for jobs.
            if !receipt.record.progress.isBehind(at: now) { state.withLock { $0.edits.settled(name) } }
            take(receipt.stopping)
            if !receipt.occurrences.isEmpty { jobs.settled(name, receipt.occurrences) }
        case .failure(let error):
            switch error.code {
            case .moved(.schedule): return
            // Another one settled it at the same moment.
            case .occurrenceTaken: return block(name, for: .seconds(1))
            default: break
            }
            if !error.isRetryable {
                trouble(EngineTrouble(detail: "The schedule \(name) could not be handled: \(error.detail)"))
            }
            block(name, for: error.isRetryable ? .milliseconds(500) : Self.blockedFor)
        }
    }

    private func block(_ name: String, for time: Duration = blockedFor) {
        let date = now.advanced(by: time)
        state.withLock { state in
            state.blocked[name] = date
            state.edits.settled(name)
        }
    }

    // MARK: One schedule

    /// The change that settles the due times of a schedule; nil when its spec cannot be read here, which is reported.
    private func change(
        of record: ScheduleRecord, _ reader: any JobReader, _ steps: inout Int
    ) throws(JobStoreError) -> ScheduleChange? {
        guard let spec = spec(of: record) else {
            trouble(
                EngineTrouble(
                    detail:
                        "The schedule \(record.name) cannot be read here: its time zone may be missing on this "
                        + "machine. Its planned times wait until it can."))
            return nil
        }
        var settlement = ScheduleSettlement(of: record, spec, at: now, jobs: jobs, reader)
        defer { steps += settlement.steps }
        return try settlement.change()
    }

    private func take(_ requests: [RunRequest]) { state.withLock { $0.take }(requests) }

    private func spec(of record: ScheduleRecord) -> ScheduleSpec? {
        if let known = state.withLock({ $0.specs[record.name] }), known.body == record.body {
            return known.spec
        }
        // The jitter of planned times is drawn from the name that people know.
        let name = Tenant(ofStored: record.name)?.shown(record.name) ?? record.name
        let spec = ScheduleReader.readStored(record.body, name: name)
        state.withLock { state in
            // Those of schedules that were removed stay until then.
            if state.specs.count >= Self.specsMax { state.specs = [:] }
            state.specs[record.name] = spec.map { (record.body, $0) }
        }
        return spec
    }
}
