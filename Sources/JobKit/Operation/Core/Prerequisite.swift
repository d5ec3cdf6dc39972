internal import Synchronization

/// An operation that must finish before a condition is evaluated.
///
/// It starts when all dependencies of the condition's target have finished, on the target's queue or in its group. It
/// is not one of the target's dependencies: `NoFailedDependencies` does not see it. When the target is cancelled, so is
/// the prerequisite, unless another operation needs it.
public struct Prerequisite: Sendable {
    /// Requirements on its ending; otherwise the condition fails without being evaluated. A failure takes precedence
    /// over a cancellation. Default: it need only finish, and the condition decides.
    public struct Requirements: OptionSet, Sendable, Hashable {
        /// The set as bits.
        public let rawValue: Int
        /// A set of bits.
        public init(rawValue: Int) { self.rawValue = rawValue }

        /// It did not fail: otherwise `condition.prerequisite_failed`.
        public static let noFailed = Requirements(rawValue: 1)
        /// It was neither cancelled nor skipped: otherwise `condition.prerequisite_cancelled`.
        public static let noCancelled = Requirements(rawValue: 2)
        /// For `noFailed`, an operation that timed out (`timeout.*`) counts as cancelled, not as failed.
        public static let ignoreFailedIfStopped = Requirements(rawValue: 4)
    }

    enum Source: Sendable {
        /// An operation of another owner, already on a queue.
        case running(OperationCore)
        /// An operation made for the target.
        case produced(@Sendable (ConditionNeed) -> Lease)
    }

    /// A lease on an operation that was made for a condition.
    struct Lease: Sendable {
        let core: OperationCore
        let release: @Sendable () -> Void
    }

    let name: String
    let source: Source
    let requirements: Requirements

    /// An operation made for the condition; `SilentCondition` omits it.
    public init<Output>(_ operation: some OperationConvertible<Output>, requires: Requirements = []) {
        let recipe = operation.recipe
        name = recipe.name
        requirements = requires
        source = .produced { need in
            let core = need.target.queue.prepare(recipe, for: need).core
            core.enqueue()
            return Lease(core: core) { Prerequisite.cancelUnlessNeeded(core) }
        }
    }

    /// An operation that several conditions need: created for the first of them, cancelled when the last has ended.
    public init(_ shared: SharedPrerequisite, requires: Requirements = []) {
        name = shared.name
        requirements = requires
        source = .produced { need in shared.join(need) }
    }

    /// An operation that is on a queue already, perhaps a dependency of the target. It is only awaited: neither run
    /// twice nor cancelled with the target.
    public init<Output>(finished handle: OperationHandle<Output>, requires: Requirements = []) {
        name = handle.name
        requirements = requires
        source = .running(handle.core)
    }

    /// The reason why the condition need not be evaluated after `ending`; nil when it must be.
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
            detail: "\(name), which has to come first, ended as \(ending.state.rawValue).", stage: .condition,
            causes: ending.errors)
    }
}

/// The condition that needs an operation.
struct ConditionNeed: Sendable {
    /// The operation that has the condition.
    let target: OperationCore
    /// The position of the condition, such as `conditions[0]`: the same in every run of the same work.
    let question: String

    /// The place of the needed operation: below the target, under a name that no member has.
    func place(of name: String) -> OperationCore.Place {
        .init(
            path: target.path + ["\(name)@\(question)"], publisherPath: target.publisherPath + [name],
            outerKeys: target.outerKeys.merging(target.keys.ofPrerequisites) { $1 })
    }
}

extension Prerequisite {
    /// Cancels an operation, unless another one waits for it.
    static func cancelUnlessNeeded(_ core: OperationCore) {
        guard core.parts.withLock({ $0.links.dependants.isEmpty }) else { return }
        core.cancel(code: .cancelledParent, reason: "what needed it does not any more")
    }

    /// The ending of an operation; nil when the waiting task was cancelled before.
    static func ending(of core: OperationCore) async -> OperationEnding? {
        let answer = FirstAnswer<OperationEnding?>()
        core.whenFinished { answer.give($0) }
        return await withTaskCancellationHandler {
            await answer.value()
        } onCancel: {
            answer.give(nil)
        }
    }
}
