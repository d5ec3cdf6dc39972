import EventIO
import JobKit
import JobStore
import StrictJSON
import Synchronization

// DESIGN
// New work is refused by the head of its request, before any of the body is read or parsed, as soon as the store cannot
// take it or has more to write than it can in time. Accepted work is done: a refusal is cheap, work whose client has
// given up is not. Reads, cancellations and everything else that creates no new work are never refused here, so they
// get the capacity that the refusals free.
//
// A tenant is judged by its own writes: it is refused when the first of these has waited for too long, or when they
// fill what the others leave of the maximum number. So a tenant alone fills half, and finds room while another floods.
//
// From half of the maximum number of pending writes on, the recent share of each client is counted: a client that has
// had more than the others is refused (429) before they are, and the last tenth is reserved for clients that have had
// little.

/// Decides whether new work is accepted (load shedding).
final class Admission: Sendable {
    /// The reason for a refusal.
    enum Reason: Int, CaseIterable, Sendable {
        /// Too many writes are pending.
        case queue
        /// The oldest pending write is too old.
        case delay
        /// A new job would wait too long in the queue.
        case backlog
        /// The store is read-only.
        case storage
        /// The client has had more than its share.
        case share

        /// The label value in the metrics.
        var name: String { "\(self)" }
    }

    /// A period of overload.
    private struct Spell: Sendable {
        /// The number of refusals; 0 outside an overload.
        var refused = 0
        var since: ContinuousClock.Instant
        var last: ContinuousClock.Instant
        /// The last answer, its reason, and the age of its figures.
        var answer: PreparedProblem?
        var reason = Reason.queue
        var madeAt: ContinuousClock.Instant

        init(now: ContinuousClock.Instant) {
            since = now
            last = now
            madeAt = now
        }
    }

    private let pressure: @Sendable (Tenant?) -> StorePressure
    private let condition: @Sendable () -> StoreCondition
    private let log: Log
    private let backlog: (gauge: BacklogGauge, max: Duration)?
    private let waitingMax: Int
    private let delayMax: Duration
    /// Indexed by the raw value of the reason.
    private let counts = Reason.allCases.map { _ in Counter() }
    private let spell = Mutex(Spell(now: .now))
    private let shares = Mutex(FairShare(now: .now))
    private let isInSpell = Atomic(false)
    /// The time without a refusal after which an overload is over.
    private static let calm = Duration.seconds(1)
    /// The maximum age of the figures in an answer.
    private static let figuresLast = Duration.milliseconds(50)

    private final class Counter: Sendable {
        let value = Atomic<Int>(0)
    }

    /// - Parameters:
    ///   - pressure: the pending writes of the store, and those of a tenant.
    ///   - condition: whether the store takes writes.
    ///   - backlog: the expected wait of a new job and its maximum; nil means no limit.
    ///   - waitingMax: the maximum number of pending writes.
    ///   - delayMax: the maximum age of the oldest pending write.
    init(
        pressure: @escaping @Sendable (Tenant?) -> StorePressure,
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

    /// The refusal of new work of a client; nil when it is accepted.
    func problem(
        for client: () -> Client, of tenant: Tenant? = nil, now: ContinuousClock.Instant = .now
    ) -> PreparedProblem? {
        let pressure = pressure(tenant)
        // A store that cannot be used is no overload, however much waits for it.
        if let error = condition().refusal {
            count(.storage)
            return PreparedProblem(Problem(error))
        }
        if pressure.waiting >= waitingMax / 2 {
            if tenant != nil, pressure.own > 0, pressure.own >= waitingMax - pressure.waiting {
                count(.share)
                return Self.filling
            }
            if let problem = crowded(pressure, client(), now) { return problem }
        }
        if pressure.own > 0, pressure.oldest - pressure.silence > delayMax {
            return overload(.delay, now, "Writes wait for \(pressure.oldest.wholeMilliseconds) ms")
        }
        if let backlog {
            let wait = backlog.gauge.wait(now: now)
            if wait > backlog.max {
                return overload(
                    .backlog, now, "A new job would wait \(wait.wholeMilliseconds) ms for its turn")
            }
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
            "Many writes wait for the disk, and you have sent more than your share. Nothing was created; send the "
                + "request again later, and less at once."))

    private static let filling = PreparedProblem(
        Problem(
            .clientLimited,
            "Too many writes of your tenant wait for the disk. Nothing was created; "
                + "send the request again later, and less at once."))

    /// The number of refusals by reason.
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
                    "\(what()): the configured maximum is reached. Nothing was created; send the request "
                        + "again later."))
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
