import EventIO
import JobKit
import JobStore
import StrictJSON
import Synchronization

// DESIGN
// New work is refused by the head of its request, before anything of the body is read or parsed, as soon as the store
// cannot take it or has more to write than it can do in time. What was taken is done: a refusal is cheap, work that
// nobody waits for any more is not. Looking, cancelling and everything else that makes no new work is never refused
// here, so it has what the refused leave free.
//
// From half of what may wait on, what each client was given lately is counted: one that has had more than the others is
// refused (429) before they are, and the last tenth is kept for those that have had little.

/// Decides whether new work is taken.
final class Admission: Sendable {
    /// Why work is refused.
    enum Reason: Int, CaseIterable, Sendable {
        /// Too many writes wait.
        case queue
        /// The oldest write has been waiting for too long.
        case delay
        /// A new job would wait for its turn for too long.
        case backlog
        /// The store cannot be written.
        case storage
        /// The client has had more than others.
        case share

        /// As it is called in the metrics.
        var name: String { "\(self)" }
    }

    /// A time in which work is refused.
    private struct Spell: Sendable {
        /// How much was refused; none outside such a time.
        var refused = 0
        var since: ContinuousClock.Instant
        var last: ContinuousClock.Instant
        /// What was answered last, why, and since when with the same figures.
        var answer: PreparedProblem?
        var reason = Reason.queue
        var madeAt: ContinuousClock.Instant

        init(now: ContinuousClock.Instant) {
            since = now
            last = now
            madeAt = now
        }
    }

    private let pressure: @Sendable () -> StorePressure
    private let condition: @Sendable () -> StoreCondition
    private let log: Log
    private let backlog: (gauge: BacklogGauge, max: Duration)?
    private let waitingMax: Int
    private let delayMax: Duration
    /// In the order of the reasons.
    private let counts = Reason.allCases.map { _ in Counter() }
    private let spell = Mutex(Spell(now: .now))
    private let shares = Mutex(FairShare(now: .now))
    private let isInSpell = Atomic(false)
    /// After so long without a refusal it is over.
    private static let calm = Duration.seconds(1)
    /// For so long the figures in an answer may be old.
    private static let figuresLast = Duration.milliseconds(50)

    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }

    /// Decides by what a store says about itself.
    /// - Parameters:
    ///   - pressure: how much waits.
    ///   - condition: whether it takes writes.
    ///   - backlog: how long a new job would wait for its turn, and how long it may; nil is any time.
    ///   - waitingMax: how many writes may wait.
    ///   - delayMax: for how long the oldest may have been waiting.
    init(
        pressure: @escaping @Sendable () -> StorePressure,
        condition: @escaping @Sendable () -> StoreCondition,
        backlog: (gauge: BacklogGauge, max: Duration)? = nil, waitingMax: Int, delayMax: Duration, log: Log
    ) {
        self.backlog = backlog
        self.pressure = pressure
        self.condition = condition
        self.waitingMax = waitingMax
        self.delayMax = delayMax
        self.log = log
    }

    /// Why new work of a client is not taken now; nil when it is.
    func problem(for client: () -> Client, now: ContinuousClock.Instant = .now) -> PreparedProblem? {
        let pressure = pressure()
        if pressure.waiting >= waitingMax / 2, let problem = crowded(pressure, client(), now) {
            return problem
        }
        if pressure.waiting > 0, pressure.oldest > delayMax {
            return overload(.delay, now, "Writes wait for \(pressure.oldest.wholeMilliseconds) ms")
        }
        if let backlog {
            let wait = backlog.gauge.wait(now: now)
            if wait > backlog.max {
                return overload(
                    .backlog, now, "A new job would wait \(wait.wholeMilliseconds) ms for its turn")
            }
        }
        if let error = condition().refusal {
            count(.storage)
            return PreparedProblem(Problem(error))
        }
        if isInSpell.load(ordering: .relaxed) { endSpell(now) }
        return nil
    }

    private func crowded(
        _ pressure: StorePressure, _ client: Client, _ now: ContinuousClock.Instant
    ) -> PreparedProblem? {
        let (isGreedy, isModest) = shares.withLock { shares in
            let standing = (shares.isGreedy(client), shares.isModest(client))
            if pressure.waiting < waitingMax, !standing.0 { shares.give(client, now: now) }
            return standing
        }
        if isGreedy {
            count(.share)
            return Self.greedy
        }
        let most = isModest ? waitingMax : waitingMax - waitingMax / 10
        guard pressure.waiting >= most else { return nil }
        return overload(.queue, now, "\(pressure.waiting) writes wait for the disk")
    }

    private static let greedy = PreparedProblem(
        Problem(
            .clientLimited,
            "Much waits for the disk, and you have sent more of it than others. Nothing was created; send the "
                + "request again later, and less at once."))

    /// How often work was refused, by reason.
    var refusals: [(reason: Reason, count: Int)] {
        Reason.allCases.map { ($0, counts[$0.rawValue].value.load(ordering: .relaxed)) }
    }

    private func count(_ reason: Reason) {
        counts[reason.rawValue].value.wrappingAdd(1, ordering: .relaxed)
    }

    private func overload(
        _ reason: Reason, _ now: ContinuousClock.Instant, _ what: @autoclosure () -> String
    ) -> PreparedProblem {
        count(reason)
        let (isFirst, problem) = spell.withLock { spell -> (Bool, PreparedProblem) in
            let isFirst = spell.refused == 0
            if isFirst {
                spell = Spell(now: now)
                isInSpell.store(true, ordering: .relaxed)
            }
            spell.refused += 1
            spell.last = now
            if let known = spell.answer, spell.reason == reason, now - spell.madeAt < Self.figuresLast {
                return (isFirst, known)
            }
            let problem = PreparedProblem(
                Problem(
                    .overloaded,
                    "\(what()), which is as much as may. Nothing was created; send the request again later."))
            spell.answer = problem
            spell.reason = reason
            spell.madeAt = now
            return (isFirst, problem)
        }
        if isFirst {
            log.write(
                .warning, "overload_began", message: "\(what()); new jobs are refused until it is less.")
        }
        return problem
    }

    private func endSpell(_ now: ContinuousClock.Instant) {
        let over = spell.withLock { spell -> Spell? in
            guard spell.refused > 0, spell.last.duration(to: now) > Self.calm else { return nil }
            defer { spell = Spell(now: now) }
            isInSpell.store(false, ordering: .relaxed)
            return spell
        }
        guard let over else { return }
        log.write(.info, "overload_ended") { line in
            line.member("refused", Int64(over.refused))
            line.member("milliseconds", over.since.duration(to: over.last).wholeMilliseconds)
        }
    }
}
