/// The settings of an operation besides its work.
package struct OperationSettings: Sendable {
    /// An edge to a dependency, which must finish first.
    package struct Edge: Sendable {
        let core: OperationCore
        let requirement: Requirement

        package init(core: OperationCore, requirement: Requirement) {
            self.core = core
            self.requirement = requirement
        }
    }

    /// The condition under which an edge lets the dependant run.
    package enum Requirement: Sendable {
        case named(EdgeRequirement)
        /// One of these final states.
        case states(Set<JobState>)
        /// The order of an ordered group: a member skipped by its own gate or condition does not stop the next, nor
        /// does one that failed, when its failure does not count.
        case orderly(failureCounts: Bool)
        /// A follow-up: runs after success and failure, and is skipped when the predecessor was cancelled or skipped.
        case undisturbed
    }

    package var edges: [Edge] = []
    /// Evaluated when the edges let it run; an error closes the gate, and the operation is skipped with it.
    package var gate: (@Sendable () async -> GateVerdict)?
    package var conditions: [any OperationCondition] = []
    /// Whether an operation that was made of them has its code elsewhere.
    var hasBaggage = false
    /// Whether one ignored condition skips it, although others are satisfied.
    package var conditionsAreStrict = false
    var observers: [any OperationObserver] = []
    var hooks: [OperationHook] = []
    /// The operation that created it as a sibling; nil when it was added from outside.
    var producer: OperationCore?
    package var timeout: Duration?
    /// The time before which it does not begin, not even with its gate and conditions.
    package var runAt: Moment? {
        get { box?.rare.runAt }
        set { change { $0.runAt = newValue } }
    }
    /// The time after which it is not executed any more: it expires when it has not begun by then.
    package var startBy: Moment? {
        get { box?.rare.startBy }
        set { change { $0.startBy = newValue } }
    }
    package var deadline: Moment? {
        get { box?.rare.deadline }
        set { change { $0.deadline = newValue } }
    }
    /// The grace period of stopped work, after which it is abandoned; nil waits for it.
    package var grace: Duration? = .seconds(5)
    /// 0…9, a higher one is executed first when capacity is short.
    var priority = 5
    /// The limit of attempts.
    package var attemptsMax = 1
    /// Decides about a retry after a failed attempt.
    package var decideRetry: (@Sendable (AOperationError, RetrySituation) -> RetryVerdict)?
    /// Whether an error of its work that does not say so may pass, so that another attempt may help.
    package var errorsMayPass = false
    /// The origin of the next attempt's call; nil for work that makes no call itself.
    package var origin: OriginRule? {
        get { box?.rare.origin }
        set { change { $0.origin = newValue } }
    }
    /// Whether the start of an attempt is made durable before it begins, and an attempt that was in flight when the
    /// process ended must not be repeated by itself.
    package var startsDurably = false
    /// Whether the run of the job stays in memory while an attempt is in flight, also while that waits: what it has
    /// done so far cannot be continued in another run.
    package var keepsItsRun = false
    /// The name of a note that makes attempts safe to repeat.
    package var safeOnceNoted: String? {
        get { box?.rare.safeOnceNoted }
        set { change { $0.safeOnceNoted = newValue } }
    }
    /// The rule for polls: attempts that found upstream not done, which is no failure.
    package var poll: PollRule? {
        get { box?.rare.poll }
        set { change { $0.poll = newValue } }
    }
    /// The method and URL of an attempt in the journal, empty for work other than calls; nil when attempts are not
    /// recorded.
    package var attemptLabel: (method: String?, url: String?)? {
        get { box?.rare.attemptLabel }
        set { change { $0.attemptLabel = newValue } }
    }

    /// The rules for its members; nil when it is not a group.
    var groupRules: GroupRules? {
        get { box?.rare.groupRules }
        set { change { $0.groupRules = newValue } }
    }
    /// The key that only one unfinished operation has.
    var unique: UniqueKey? {
        get { box?.rare.unique }
        set { change { $0.unique = newValue } }
    }
    /// Whether it is not begun before it is released.
    var isHeld = false
    /// Whether its dependencies are cancelled with it.
    var cancelsUpstream = false
    /// Whether it runs also when everything around it is being stopped.
    var isFinal = false

    /// Whether it has final work to do: once it has begun, its own run ends it, even when its cancellation was
    /// requested before that run continues after a restart.
    package var endsInside = false
    /// Whether other operations run inside of it.
    package var hasInner = false
    /// Whether its work does nothing but wait, and keeps the time for that itself.
    package var keepsItsTime = false

    /// Settings with all defaults.
    package init() {}

    /// The settings that few operations have. Beside the others, which would be three times as large with them, in each
    /// operation and in each copy of a recipe.
    private struct Rare: Sendable {
        var runAt: Moment?
        var startBy: Moment?
        var deadline: Moment?
        var origin: OriginRule?
        var safeOnceNoted: String?
        var poll: PollRule?
        var attemptLabel: (method: String?, url: String?)?
        var groupRules: GroupRules?
        var unique: UniqueKey?
    }

    private final class Box: Sendable {
        let rare: Rare
        init(_ rare: Rare) { self.rare = rare }
    }

    private var box: Box?

    private mutating func change(_ change: (inout Rare) -> Void) {
        var rare = box?.rare ?? Rare()
        change(&rare)
        box = Box(rare)
    }

    /// Whether an operation that began in an earlier run goes on even while it is held: its timer does, and its inner
    /// operations are held individually.
    var isEnteredAgain: Bool { hasInner || keepsItsTime }

    package struct OriginRule: Sendable {
        /// The URL that the next attempt calls; nil when it is not known before.
        var url: @Sendable (OperationContext) -> String?
        /// No attempt begins later than this after the first one began.
        var elapsedMax: Duration?
        /// Whether it waits while the origin cools down.
        var heedsCoolDown = true
        /// The longest pause that it takes from an answer.
        var pauseMax: Duration?

        package init(
            url: @escaping @Sendable (OperationContext) -> String?, elapsedMax: Duration? = nil,
            heedsCoolDown: Bool = true, pauseMax: Duration? = nil
        ) {
            self.url = url
            self.elapsedMax = elapsedMax
            self.heedsCoolDown = heedsCoolDown
            self.pauseMax = pauseMax
        }
    }

    package struct PollRule: Sendable {
        var wait: RetrySpec.Backoff
        var pollsMax: Int

        package init(wait: RetrySpec.Backoff, pollsMax: Int) {
            self.wait = wait
            self.pollsMax = pollsMax
        }
    }

    /// A date, a time since the submission, or both: then the earlier of them.
    package struct Moment: Sendable {
        var date: Timestamp?
        var sinceSubmission: Duration?

        package static func at(_ date: Timestamp) -> Moment { Moment(date: date) }
        package static func afterSubmission(_ duration: Duration) -> Moment {
            Moment(sinceSubmission: duration)
        }
    }

    /// Adds a deadline; the earliest counts.
    mutating func add(_ other: Moment) {
        let old = deadline ?? other
        deadline = Moment(
            date: [old.date, other.date].compactMap { $0 }.min(),
            sinceSubmission: [old.sinceSubmission, other.sinceSubmission].compactMap { $0 }.min())
    }

    /// The reason why an operation of this name is not even begun; nil when it may be.
    func refusal(of name: String) -> AOperationError? {
        guard let timeout, timeout <= .zero else { return nil }
        return AOperationError(
            .timeoutTotal,
            detail: "\(name) has a timeout of \(timeout), in which it cannot do anything. "
                + "Give it one above zero, or none.")
    }

    package enum GateVerdict: Sendable {
        case open
        case closed(AOperationError)
        case broken(AOperationError)
    }
}
