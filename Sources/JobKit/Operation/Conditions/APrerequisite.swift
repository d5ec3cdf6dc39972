internal import Synchronization

/// An operation that must be finished before a condition is asked.
///
/// It begins when everything the target of the condition depends on is finished, on the target's queue or in its
/// group. It is not one of the target's dependencies: `NoFailedDependencies` does not see it. When the target is
/// stopped, it is stopped, too, unless somebody else needs it.
public struct APrerequisite: Sendable {
    /// How it must have ended; otherwise the condition fails without being asked. A failure is looked at before a
    /// cancellation. Default: it need only be finished, and the condition decides.
    public struct Requirements: OptionSet, Sendable, Hashable {
        /// The set as bits.
        public let rawValue: Int
        /// A set of bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// It did not fail: otherwise `condition.prerequisite_failed`.
        public static let noFailed = Requirements(rawValue: 1)
        /// It was neither cancelled nor skipped: otherwise `condition.prerequisite_cancelled`.
        public static let noCancelled = Requirements(rawValue: 2)
        /// For `noFailed`, one that a clock stopped (`timeout.*`) counts as cancelled, not as failed.
        public static let ignoreFailedIfStopped = Requirements(rawValue: 4)
    }

    enum Source: Sendable {
        /// Somebody else's, on a queue already.
        case running(OperationCore)
        /// Made for the target.
        case produced(@Sendable (ConditionNeed) -> Lease)
    }

    /// A hold on an operation that was made for a condition.
    struct Lease: Sendable {
        let core: OperationCore
        /// Says that it is not needed any more.
        let release: @Sendable () -> Void
    }

    let name: String
    let source: Source
    let requirements: Requirements

    /// An operation that is made for the condition; `SilentCondition` leaves it out.
    public init<Output>(_ operation: some AOperationConvertible<Output>, requires: Requirements = []) {
        let recipe = operation.recipe
        name = recipe.name
        requirements = requires
        source = .produced { need in
            let core = need.target.queue.prepare(recipe, for: need).core
            core.enqueue()
            return Lease(core: core) { core.cancelUnlessNeeded() }
        }
    }

    /// An operation that several conditions need: made by the first that needs it, stopped when none is left that does.
    public init(_ shared: SharedPrerequisite, requires: Requirements = []) {
        name = shared.name
        requirements = requires
        source = .produced { need in shared.join(need) }
    }

    /// An operation that is on a queue already, perhaps one that the target depends on. It is only waited for: neither
    /// run twice nor stopped with the target.
    public init<Output>(finished handle: AOperationHandle<Output>, requires: Requirements = []) {
        name = handle.name
        requirements = requires
        source = .running(handle.core)
    }

    /// Why the condition need not even be asked after `ending`; nil when it is.
    func refusal(_ ending: OperationEnding) -> AOperationError? {
        let isStopped = ending.errors.first?.code.family == "timeout"
        let isForgiven = isStopped && requirements.contains(.ignoreFailedIfStopped)
        switch ending.state {
        case .failed, .expired:
            guard requirements.contains(.noFailed), !isForgiven else { return nil }
        case .cancelled, .skipped:
            guard requirements.contains(.noCancelled) else { return nil }
        default: return nil
        }
        return Self.error(about: name, ending)
    }

    /// The error of a condition whose prerequisite did not succeed.
    static func error(about name: String, _ ending: OperationEnding) -> AOperationError {
        let isFailure = ending.state == .failed || ending.state == .expired
        return AOperationError(
            isFailure ? .conditionPrerequisiteFailed : .conditionPrerequisiteCancelled,
            detail: "\(name), which has to come first, ended as \(ending.state.rawValue).", state: .condition,
            causes: ending.errors)
    }
}

/// Who needs an operation first: the question of a condition.
struct ConditionNeed: Sendable {
    /// The operation that has the condition.
    let target: OperationCore
    /// Which of its conditions, such as `conditions[0]`: the same in every run of the same work.
    let question: String

    /// The place of an operation that answers the need: below the target, under a name that no member has.
    func place(of name: String) -> OperationCore.Place {
        .init(
            path: target.path + ["\(name)@\(question)"], publisherPath: target.publisherPath + [name],
            heldKeys: target.inheritedKeys)
    }
}

extension OperationCore {
    /// Stops it, unless another operation waits for it.
    func cancelUnlessNeeded() {
        guard parts.withLock({ $0.links.dependants.isEmpty }) else { return }
        cancel(code: .cancelledParent, reason: "what needed it does not any more")
    }

    /// How it ended; nil when the waiting task was cancelled before.
    func endingUnlessCancelled() async -> OperationEnding? {
        let answer = FirstAnswer<OperationEnding?>()
        whenFinished { answer.give($0) }
        return await withTaskCancellationHandler {
            await answer.value()
        } onCancel: {
            answer.give(nil)
        }
    }
}
