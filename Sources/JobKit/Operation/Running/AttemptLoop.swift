internal import HTTPMessage
internal import StrictJSON
internal import Synchronization

/// The attempts of one execution, one after the other, with the waits between them.
struct AttemptLoop {
    private let core: OperationCore
    /// The start of the execution.
    private let startedAt: Timestamp
    private var series: AttemptSeries
    /// The error of the last attempt that failed.
    private var last: AOperationError?

    init(of core: OperationCore, startedAt: Timestamp) {
        self.core = core
        self.startedAt = startedAt
        let history = core.environment.journal?.history(of: core.path)
        series = AttemptSeries(after: history)
        last = history?.lastError
    }

    /// Records that the execution begins, or continues after a restart, and arms the timeout from its first start,
    /// unless `armTimeoutAgain` has.
    static func begin(_ core: OperationCore) -> AttemptLoop {
        let now = core.environment.clock.now
        let earlier = core.begunAt
        if earlier == nil, let journal = core.environment.journal {
            journal.record(JournalEntry(at: now, path: core.path, event: .started))
        }
        core.raise(.started)
        if earlier == nil || core.settings.hasInner { core.clocks.armTimeout(startedAt: earlier ?? now) }
        return AttemptLoop(of: core, startedAt: earlier ?? now)
    }

    /// Returns how they ended; nil when the operation is parked, which then calls `goOn`.
    mutating func run() async -> OperationEnding? {
        if let ending = core.interruptedAttempt.ending { return ending }
        if let wait = earlierWait {
            do { try await core.wait(until: wait.end, reason: wait.reason) } catch { return Self.stopped }
            guard await core.holdGate.pass() else { return Self.stopped }
        }
        return await attempts()
    }

    /// Goes on with the attempt that began then, after the wait at its beginning.
    mutating func goOn(after begin: Timestamp, isOver: Bool) async -> OperationEnding? {
        let outcome = isOver ? await attempt(hasWaited: true) : .failure(failure(CancellationError()))
        if let ending = await ending(after: outcome, begin) { return ending }
        return await attempts()
    }

    private mutating func attempts() async -> OperationEnding? {
        while true {
            if let ending = await prepare() { return ending }
            let begin = noteBegin()
            if parks(begin) { return nil }
            let outcome = await attempt(hasWaited: false)
            if let ending = await ending(after: outcome, begin) { return ending }
        }
    }

    // The steps around an attempt are functions of their own, and not inlined: otherwise they would enlarge the frame
    // of every attempt in flight.

    /// Waits for the origin and notes the attempt; the outcome when there is none.
    @inline(never)
    private mutating func prepare() async -> OperationEnding? {
        switch await core.origins.pass(
            isRetry: series.counted > 0, series: series.counted > 0 ? seriesStart : nil, startedAt: startedAt)
        {
        case .passed: break
        case .stopped: return Self.stopped
        case .closed: return givenUp(because: "breaker")
        }
        if isTooLate {
            core.origins.returnPass()
            return givenUp(because: "budget")
        }
        series.advance()
        do throws(RunSuspended) { try await noteStart() } catch {
            core.origins.returnPass()
            return OperationEnding(state: .cancelled)
        }
        return nil
    }

    @inline(never)
    private mutating func noteBegin() -> Timestamp {
        let begin = core.environment.clock.now
        series.begin(at: begin, uptime: core.environment.clock.uptime)
        core.raise(.attemptStarted(number: series.number))
        return begin
    }

    /// The outcome after an attempt; nil when another one follows, now.
    @inline(never)
    private mutating func ending(
        after outcome: Result<Void, Failure>, _ begin: Timestamp
    ) async -> OperationEnding? {
        if core.settings.keepsItsRun { core.parts.withLock { $0.attempt.keepsItsRun = false } }
        core.origins.returnPass()
        guard case .failure(let failure) = outcome else { return succeeded(begin) }
        switch next(after: failure, begin) {
        case .end(let ending): return ending
        case .wait(let end, let reason):
            do { try await core.wait(until: end, reason: reason) } catch { return Self.stopped }
        case .waitForOrigin(let origin, let why, let date):
            do { try await core.origins.wait(for: origin, until: date, why) } catch { return Self.stopped }
        }
        return await core.holdGate.pass() ? nil : Self.stopped
    }

    /// Parks the operation when its work begins with a wait.
    @inline(never)
    private func parks(_ begin: Timestamp) -> Bool {
        guard let lull = core.work?.lull, let clock = core.environment.clock as? any AlarmClock else {
            return false
        }
        let end = lull(OperationContext(core: core, attempt: series.number, startedAt: startedAt))
        if end.hasCome(by: clock) { return false }
        let alarm = clock.newAlarm()
        return Parking.park(
            core, OperationWait(until: end.date, reason: .delay),
            begin: { wake in
                clock.setAlarm(alarm, at: end, wake)
                return true
            },
            callOff: { clock.removeAlarm(alarm) },
            goOn: { [core, self] isOver in await core.execute(after: begin, isOver: isOver, self) })
    }

    private static let stopped = OperationEnding(
        state: .cancelled, errors: [AOperationError(.cancelledUser, detail: "Stopped while waiting.")])

    // MARK: One attempt

    private struct Failure: Error {
        var errors: [AOperationError]
        var isCancellation = false
        /// The outcome of the operation when its inner one was skipped or cancelled.
        var inner: JobState?
        /// The answer of upstream that it is not done.
        var notYet: NotYet?

        /// Errors that say nothing about another attempt may pass.
        mutating func mayPass() {
            for index in errors.indices where !errors[index].refusesRetry { errors[index].retryable = true }
        }

        var ending: OperationEnding {
            OperationEnding(state: isCancellation ? .cancelled : inner ?? .failed, errors: errors)
        }
    }

    private func attempt(hasWaited: Bool) async -> Result<Void, Failure> {
        let context = OperationContext(
            core: core, attempt: series.number, startedAt: startedAt, hasWaited: hasWaited)
        do {
            try await core.work?.run(context)
            return .success(())
        } catch {
            return .failure(failure(error))
        }
    }

    @inline(never)
    private func failure(_ error: any Error) -> Failure {
        var failure = read(error)
        if core.settings.errorsMayPass { failure.mayPass() }
        return failure
    }

    private func read(_ error: any Error) -> Failure {
        switch error {
        case let errors as OperationErrors: return Failure(errors: errors.list)
        case let pending as NotYet: return Failure(errors: [], notYet: pending)
        case let skip as OperationSkip: return Failure(errors: skip.errors, inner: skip.state)
        case is CancellationError where Task.isCancelled || core.mustUnwind:
            let error = AOperationError(.cancelledUser, detail: "\(core.name) stopped.")
            return Failure(errors: [core.stamp(error)], isCancellation: true)
        default:
            let thrown = AOperationError(thrown: error, by: core.name)
            // An error of an inner operation has the attempt in which it arose.
            let aroseHere = thrown.path.isEmpty
            var error = core.stamp(thrown)
            if aroseHere, error.attempt == nil { error.attempt = series.number }
            return Failure(errors: [error], isCancellation: error.isCancelled && core.isStopRequested)
        }
    }

    @inline(never)
    private func succeeded(_ begin: Timestamp) -> OperationEnding {
        noteEnd(from: begin, .succeeded)
        return OperationEnding(state: .succeeded, result: core.work?.captured())
    }

    // MARK: After a failure

    private enum Next {
        case wait(WaitEnd, OperationWait.Reason)
        /// The origin holds the next attempt back for longer than the rule for attempts does.
        case waitForOrigin(String, OriginReason, until: Timestamp)
        case end(OperationEnding)
    }

    /// Records the failed attempt and returns the time of the next one, or the outcome.
    @inline(never)
    private mutating func next(after failure: Failure, _ begin: Timestamp) -> Next {
        last = failure.errors.first
        if let pending = failure.notYet {
            series.restart()
            return next(after: pending, begin)
        }
        guard var error = failure.errors.first, !failure.isCancellation, !core.isStopRequested else {
            noteEnd(from: begin, .cancelled, error: failure.errors.first)
            return .end(failure.ending)
        }
        if failure.inner != nil { return .end(failure.ending) }
        switch decision(on: error) {
        case .stop(let reason):
            if core.baggage?.decideRetry != nil { error.retryStoppedBy = reason }
            if reason == "receiver" { error.retryable = false }
            noteEnd(from: begin, .failed, error: error)
            return .end(OperationEnding(state: .failed, errors: [error] + failure.errors.dropFirst()))
        case .retry(let delay, let isPutOff):
            let end = core.environment.clock.end(after: delay)
            noteEnd(from: begin, .failed, error: error, next: end.date)
            core.raise(.attemptFailed(number: series.number, error: error, retryAfter: delay))
            if isPutOff, let origin = core.origins.closed {
                return .waitForOrigin(origin.name, origin.reason, until: end.date)
            }
            return .wait(end, .retry)
        }
    }

    private func decision(on error: AOperationError) -> AttemptSeries.Next {
        guard let baggage = core.baggage, let decide = baggage.decideRetry else { return .stop("attempts") }
        let now = core.environment.clock.now
        return series.next(
            after: error,
            by: .init(
                attemptsMax: core.settings.attemptsMax, elapsedMax: baggage.origin?.elapsedMax,
                decide: decide),
            startedAt: seriesStart ?? now, now: now, spread: core.environment.chance(),
            opening: core.origins.opening)
    }

    /// Records the poll and returns the time of the next one, if any.
    private func next(after pending: NotYet, _ begin: Timestamp) -> Next {
        guard !core.isStopRequested,
            let pause = series.pause(by: core.settings.poll, retryAfter: pending.retryAfter)
        else {
            var error = core.stamp(pending.error)
            error.attempt = series.number
            noteEnd(from: begin, .failed, error: error)
            return .end(OperationEnding(state: .failed, errors: [error]))
        }
        let end = core.environment.clock.end(after: pause)
        noteEnd(from: begin, .notDone, next: end.date)
        return .wait(end, .poll)
    }

    /// Whether the next attempt would begin later than all attempts may take: after a hold, a stop of the server or a
    /// long time in the queue. One that is due in time may begin a little later.
    private var isTooLate: Bool {
        guard series.counted > 0, let most = core.baggage?.origin?.elapsedMax, let start = seriesStart else {
            return false
        }
        return core.environment.clock.now.since(start) > most + .seconds(1)
    }

    /// There is no further attempt although the last error allows one: its origin is closed for longer than the
    /// attempts may take (`breaker`), or that time is over (`budget`).
    @inline(never)
    private func givenUp(because reason: String) -> OperationEnding {
        var error = last ?? AOperationError(.unexpected, detail: "There is no time for another attempt.")
        error.retryStoppedBy = reason
        return OperationEnding(state: .failed, errors: [error])
    }

    private var seriesStart: Timestamp? {
        let clock = core.environment.clock
        return series.startedAt(now: clock.now, uptime: clock.uptime)
    }

    // MARK: Journal

    /// A wait begun in an earlier run. The breaker decides anew about a wait for an origin, but the waiter keeps its
    /// place in the order of release, unless the origin was reset.
    private var earlierWait: (end: WaitEnd, reason: OperationWait.Reason)? {
        guard let wait = core.environment.journal?.history(of: core.path)?.wait, let date = wait.until
        else { return nil }
        switch wait.reason {
        case .retry, .poll: break
        case .origin:
            let board = core.environment.origins
            guard date.since(core.environment.clock.now) <= board.rules.spreadMax,
                board.resets(of: wait.key ?? "") == 0, !core.origins.hasPlace(at: wait.key ?? "")
            else { return nil }
        default: return nil
        }
        return (WaitEnd(date), wait.reason)
    }

    private func noteStart() async throws(RunSuspended) {
        let (isSuspended, sent) = core.parts.withLock {
            $0.attempt.begin(series.number)
            $0.attempt.keepsItsRun = core.settings.keepsItsRun
            return ($0.life.isSuspended, $0.attempt.nextURL)
        }
        if isSuspended { throw RunSuspended() }
        guard let journal = core.environment.journal, var label = core.settings.attemptLabel else { return }
        if let followed = core.settings.safeOnceNoted.flatMap(core.kept)?.string {
            label = ("GET", followed)
        } else if let sent, let written = label.url, !sent.isFormed(as: written) {
            label.url = core.environment.scrubber.scrubbed(sent.withoutQuery)
        }
        journal.record(
            JournalEntry(
                at: core.environment.clock.now, path: core.path,
                event: .attemptStarted(number: series.number, method: label.method, url: label.url)))
        if core.mustStartDurably { try await journal.flush() }
    }

    @inline(never)
    private func noteEnd(
        from begin: Timestamp, _ outcome: AttemptRecord.Outcome, error: AOperationError? = nil,
        next: Timestamp? = nil
    ) {
        guard let journal = core.environment.journal, core.settings.attemptLabel != nil else { return }
        let facts = core.parts.withLock { $0.attempt }
        let record = AttemptRecord(
            number: series.number, startedAt: begin, finishedAt: core.environment.clock.now, outcome: outcome,
            status: facts.status, exchange: facts.exchange?.kept, error: error?.ofAttempt, nextAttemptAt: next
        )
        journal.record(JournalEntry(at: record.finishedAt, path: core.path, event: .attemptFinished(record)))
    }
}

extension String {
    /// Without the query, where credentials may be, and the fragment.
    fileprivate var withoutQuery: String {
        String(Substring(utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }))
    }

    /// Whether the URL as sent is the written one up to its query: neither a template nor a part of one.
    fileprivate func isFormed(as written: String) -> Bool {
        let (sent, written) = (utf8.span, written.utf8.span)
        for index in written.indices {
            if written[index] == UInt8(ascii: "?") || written[index] == UInt8(ascii: "#") { return true }
            guard index < sent.count, sent[index] == written[index] else { return false }
        }
        return true
    }
}

extension HTTPCallExchange {
    /// The most that an attempt keeps of the URL at which redirects ended, in bytes.
    private static let urlBytesMax = 8 << 10

    /// The exchange as an attempt keeps it. Each redirect may name a URL as long as a head.
    fileprivate var kept: HTTPCallExchange {
        guard let url = effectiveURL, url.utf8.count > Self.urlBytesMax else { return self }
        var kept = self
        kept.effectiveURL = url.beginning(Self.urlBytesMax)
        return kept
    }
}

extension OperationCore {
    /// Whether an attempt must be on disk before it begins, and must not be repeated by itself.
    var mustStartDurably: Bool {
        settings.startsDurably && settings.safeOnceNoted.flatMap(kept) == nil
    }

    var interruptedAttempt: InterruptedAttempt { InterruptedAttempt(core: self) }
}
