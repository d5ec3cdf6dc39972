internal import StrictJSON
internal import Synchronization

// What is not inlined here would stand in the frame of every attempt in flight.
extension OperationCore {
    /// How a series of attempts ended.
    func runAttempts(startedAt: Timestamp) async -> OperationEnding {
        let history = environment.journal?.history(of: path)
        var number = history?.lastAttempt ?? 0
        var counted = history?.attemptsCounted ?? 0
        var polls = history?.pollsMade ?? 0
        var series = history?.seriesStartedAt.map { Series(began: $0) }
        if let ending = interruptedEnding { return ending }
        if let wait = history?.wait, let wake = wait.until, isToBeWaitedOut(wait, until: wake) {
            do { try await self.wait(until: WaitEnd(wake), reason: wait.reason) } catch {
                return Self.stopped
            }
            guard await passHold() else { return Self.stopped }
        }
        var last = history?.lastError
        while true {
            switch await passOrigin(
                isRetry: counted > 0, series: counted > 0 ? series?.start(by: environment.clock) : nil,
                startedAt: startedAt)
            {
            case .passed: break
            case .stopped: return Self.stopped
            case .closed: return Self.leftAlone(last)
            }
            number += 1
            counted += 1
            do throws(RunSuspended) { try await noteAttempt(number) } catch {
                returnOriginPass()
                return OperationEnding(state: .cancelled)
            }
            let begin = environment.clock.now
            let present = series ?? Series(began: begin, uptime: environment.clock.uptime)
            series = present
            raise(.attemptStarted(number: number))
            let outcome = await attempt(number, startedAt: startedAt)
            returnOriginPass()
            guard case .failure(let error) = outcome else {
                noteAttemptEnd(number, from: begin, .succeeded)
                return OperationEnding(state: .succeeded, result: work?.captured())
            }
            last = error.errors.first
            var reason = OperationWait.Reason.retry
            let decision: Next
            if let pending = error.notYet {
                (counted, polls, reason, series) = (0, polls + 1, .poll, nil)
                decision = next(after: pending, number, polls, begin)
            } else {
                decision = next(
                    after: error, Try(number: number, counted: counted, begin: begin, series: present))
            }
            switch decision {
            case .end(let ending): return ending
            case .wait(let end):
                do { try await wait(until: end, reason: reason) } catch { return Self.stopped }
                guard await passHold() else { return Self.stopped }
            case .leaveAlone(let origin, let why, let date):
                do { try await waitForOrigin(origin, until: date, why) } catch { return Self.stopped }
                guard await passHold() else { return Self.stopped }
            }
        }
    }

    /// Whether a wait that an earlier run began goes on. One for an origin is for the origin to decide, but for its
    /// turn among all that wait for the opening, unless somebody has reset the origin.
    private func isToBeWaitedOut(_ wait: OperationWait, until date: Timestamp) -> Bool {
        switch wait.reason {
        case .retry, .poll: true
        case .origin:
            date.since(environment.clock.now) <= environment.origins.rules.spreadMax
                && environment.origins.resets(of: wait.key ?? "") == 0
        default: false
        }
    }

    /// One attempt, as what comes after it is decided.
    private struct Try {
        let number: Int
        /// How many attempts count so far.
        let counted: Int
        let begin: Timestamp
        let series: Series
    }

    /// When the first of the attempts that count began.
    private struct Series {
        let began: Timestamp
        /// What the clock's `uptime` showed then; nil when that was in an earlier run.
        var uptime: Duration?

        /// The same, by the wall clock as it is set now.
        func start(by clock: any AOperationClock) -> Timestamp {
            uptime.map { clock.now.advanced(by: $0 - clock.uptime) } ?? began
        }
    }

    private enum Next {
        case wait(WaitEnd)
        /// The origin holds the next attempt back for longer than the rule for attempts does.
        case leaveAlone(String, OriginReason, until: Timestamp)
        case end(OperationEnding)
    }

    private struct AttemptError: Error {
        var errors: [AOperationError]
        var isCancellation = false
        /// How it ends when what it runs inside of itself was skipped or cancelled.
        var inner: JobState?
        /// It was answered, and the other side is not done.
        var notYet: NotYet?

        var ending: OperationEnding {
            OperationEnding(state: isCancellation ? .cancelled : inner ?? .failed, errors: errors)
        }
    }

    private func attempt(_ number: Int, startedAt: Timestamp) async -> Result<Void, AttemptError> {
        let context = AOperationContext(core: self, attempt: number, startedAt: startedAt)
        do {
            try await work?.run(context)
            return .success(())
        } catch let errors as OperationErrors {
            return .failure(AttemptError(errors: errors.list))
        } catch let pending as NotYet {
            return .failure(AttemptError(errors: [], notYet: pending))
        } catch let skip as OperationSkip {
            return .failure(AttemptError(errors: skip.errors, inner: skip.state))
        } catch is CancellationError {
            let error = AOperationError(.cancelledUser, detail: "\(name) stopped.")
            return .failure(AttemptError(errors: [stamp(error)], isCancellation: true))
        } catch {
            let thrown = AOperationError(thrown: error, by: name)
            // What an inner operation failed with says by itself in which attempt it arose.
            let aroseHere = thrown.path.isEmpty
            var error = stamp(thrown)
            if aroseHere, error.attempt == nil { error.attempt = number }
            return .failure(AttemptError(errors: [error], isCancellation: error.isCancelled && isStopping))
        }
    }

    private var isStopping: Bool { standing.withLock { $0.stop != nil } }

    /// Notes the failed attempt and says until when to wait for the next one, or how it all ends.
    @inline(never)
    private func next(after failure: AttemptError, _ last: Try) -> Next {
        guard var error = failure.errors.first, !failure.isCancellation, !isStopping else {
            noteAttemptEnd(last.number, from: last.begin, .cancelled, error: failure.errors.first)
            return .end(failure.ending)
        }
        if failure.inner != nil { return .end(failure.ending) }
        let (verdict, isPutOff) = verdict(on: error, last)
        switch verdict {
        case .stop(let reason):
            if settings.decideRetry != nil { error.retryStoppedBy = reason }
            if reason == "receiver" { error.retryable = false }
            noteAttemptEnd(last.number, from: last.begin, .failed, error: error)
            return .end(OperationEnding(state: .failed, errors: [error] + failure.errors.dropFirst()))
        case .retry(let delay):
            let end = environment.clock.end(after: delay)
            noteAttemptEnd(last.number, from: last.begin, .failed, error: error, next: end.date)
            raise(.attemptFailed(number: last.number, error: error, retryAfter: delay))
            if isPutOff, let origin = closedOrigin() {
                return .leaveAlone(origin.name, origin.reason, until: end.date)
            }
            return .wait(end)
        }
    }

    /// Notes the poll and says until when to wait for the next one, or that there is none.
    @inline(never)
    private func next(after pending: NotYet, _ number: Int, _ polls: Int, _ begin: Timestamp) -> Next {
        guard let rule = settings.poll, polls < rule.pollsMax, !isStopping else {
            var error = stamp(pending.error)
            error.attempt = number
            noteAttemptEnd(number, from: begin, .failed, error: error)
            return .end(OperationEnding(state: .failed, errors: [error]))
        }
        let pause = rule.wait.wait(beforeAttempt: polls + 1)
        let asked = min(pending.asked ?? .zero, RetryDecision.retryAfterMax)
        let end = environment.clock.end(after: max(pause, asked))
        noteAttemptEnd(number, from: begin, .pending, next: end.date)
        return .wait(end)
    }

    /// Whether an attempt must be on disk before it begins, and must not be repeated by itself.
    private var mustStartDurably: Bool {
        settings.startsDurably && settings.safeOnceNoted.flatMap(kept) == nil
    }

    /// What the rule for attempts says, and whether the origin puts the next attempt off.
    private func verdict(on error: AOperationError, _ last: Try) -> (RetryVerdict, isPutOff: Bool) {
        guard let decide = settings.decideRetry else { return (.stop("attempts"), false) }
        let started = last.series.start(by: environment.clock)
        let situation = RetrySituation(
            attempts: last.counted, startedAt: started, now: environment.clock.now,
            spread: environment.chance())
        let verdict = decide(error, situation)
        guard case .retry(let delay) = verdict else { return (verdict, false) }
        if last.counted >= settings.attemptsMax { return (.stop("attempts"), false) }
        // A closed origin puts the next attempt off, possibly beyond the time that all of them may take.
        let due = situation.now.advanced(by: delay)
        let date = openingOfOrigin(after: due)
        if let most = settings.origin?.elapsedMax, date.since(started) > most {
            return (.stop("breaker"), false)
        }
        return (.retry(after: date.since(situation.now)), date > due)
    }

    // MARK: The journal's part

    private func noteAttempt(_ number: Int) async throws(RunSuspended) {
        let isSuspended = standing.withLock {
            $0.attempt = number
            $0.exchange = nil
            $0.status = nil
            return $0.lifecycle.isSuspended
        }
        if isSuspended { throw RunSuspended() }
        guard let journal = environment.journal, var label = settings.attemptLabel else { return }
        if let followed = settings.safeOnceNoted.flatMap(kept)?.string { label = ("GET", followed) }
        journal.record(
            JournalEntry(
                at: environment.clock.now, path: path,
                event: .attemptStarted(number: number, method: label.method, url: label.url)))
        if mustStartDurably { try await journal.flush() }
    }

    @inline(never)
    private func noteAttemptEnd(
        _ number: Int, from begin: Timestamp, _ outcome: AttemptRecord.Outcome, error: AOperationError? = nil,
        next: Timestamp? = nil
    ) {
        guard let journal = environment.journal, settings.attemptLabel != nil else { return }
        let (exchange, status) = standing.withLock { ($0.exchange, $0.status) }
        let record = AttemptRecord(
            number: number, startedAt: begin, finishedAt: environment.clock.now, outcome: outcome,
            status: status,
            exchange: exchange, error: error, nextAttemptAt: next)
        journal.record(JournalEntry(at: record.finishedAt, path: path, event: .attemptFinished(record)))
    }

    // MARK: What was in flight when the process ended

    /// An attempt that was in flight when the process ended is noted as interrupted. Before anything else happens to
    /// the operation: nobody has to release it, or may stop it, before that is known.
    func noteInterruption() {
        guard let journal = environment.journal, let history = journal.history(of: path),
            history.ending == nil, let open = history.openAttempt
        else { return }
        let now = environment.clock.now
        var record = open.interrupted(at: open.tryEndedAt ?? now, isUnsafe: mustStartDurably)
        record.error = record.error.map(stamp)
        journal.record(JournalEntry(at: now, path: path, event: .attemptFinished(record)))
    }

    /// How the operation ends when what was in flight must not be repeated by itself, because nobody knows whether the
    /// other side acted; nil when it may be, or a person asked for another try since then.
    var interruptedEnding: OperationEnding? {
        guard let history = environment.journal?.history(of: path), var error = unknown(in: history)
        else { return nil }
        error.retryStoppedBy = "unsafe_method"
        error.detail +=
            " Ask the other side, then retry the job; an idempotency_key makes this safe next time."
        return OperationEnding(state: .failed, errors: [error])
    }

    /// What is not known of the last attempt of the current try; also when an earlier run noted that and came no
    /// further.
    private func unknown(in history: OperationHistory) -> AOperationError? {
        if let open = history.openAttempt {
            guard open.tryEndedAt == nil, mustStartDurably else { return nil }
            return open.interrupted(at: environment.clock.now, isUnsafe: true).error
        }
        guard mustStartDurably, let error = history.lastError, error.code == .interrupted,
            error.delivery != nil
        else { return nil }
        return error
    }

    /// There is no further attempt because its origin is closed for longer than the attempts may take.
    @inline(never)
    private static func leftAlone(_ last: AOperationError?) -> OperationEnding {
        var error = last ?? AOperationError(.unexpected, detail: "Its origin is closed.")
        error.retryStoppedBy = "breaker"
        return OperationEnding(state: .failed, errors: [error])
    }

    private static let stopped = OperationEnding(
        state: .cancelled, errors: [AOperationError(.cancelledUser, detail: "Stopped while waiting.")])
}

/// What an operation runs inside of itself was skipped, and so is the operation.
struct OperationSkip: Error {
    /// Why; at least one.
    var errors: [AOperationError]
    /// `cancelled` when what runs inside was cancelled alone.
    var state = JobState.skipped
}

/// Several errors of one attempt, as a group has them.
struct OperationErrors: Error {
    var list: [AOperationError]
}

extension OperationErrors: CustomStringConvertible {
    /// One line for people.
    var description: String { list.map(\.description).joined(separator: "; ") }
}

extension OperationSkip: CustomStringConvertible {
    /// One line for people.
    var description: String { errors.map(\.description).joined(separator: "; ") }
}
