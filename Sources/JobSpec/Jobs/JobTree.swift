package import JobKit

/// The operations of one job in memory: built from its spec, run once, suspended when no progress is possible for a
/// while.
package final class JobTree: Sendable {
    private let queue: AOperationQueue
    private let recipe: OperationRecipe<OperationResult>
    private let lateMembers: LateMembers

    /// The tree of a spec.
    /// - Parameters:
    ///   - environment: with the journal of the run, the time of submission and the seed.
    ///   - past: what earlier runs of the job did; nil when there were none.
    ///   - services: the services of calls, shared by all jobs.
    ///   - kinds: the types that are not built in. An operation of a type that is nowhere fails when its turn comes.
    package init(
        spec: JobSpec, environment: consuming OperationEnvironment, past: JournalFold? = nil,
        kinds: OperationKinds = .none, services: CallServices = CallServices()
    ) {
        environment.timeoutName = OperationSpec.timeoutName
        let compiler = SpecCompiler(
            board: ResultBoard(
                past: environment.journal, artifacts: environment.artifacts, services: services,
                work: environment.longWork, owner: environment.workOwner,
                evaluationSteps: environment.limits.evaluationSteps),
            budget: RunBudget(limits: environment.limits, past: past, journal: environment.journal),
            job: JobFacts(spec, environment: environment),
            grants: environment.grants, kinds: kinds)
        lateMembers = compiler.lateMembers
        recipe = compiler.recipe(for: spec.operation, at: .root, path: [])
        // Last, since it takes the environment, which is large, and copies none.
        queue = AOperationQueue(environment: environment)
    }

    /// Starts the tree, and calls `ended` once with the ending of the root; `cancelled` when the tree was suspended.
    package func start(ended: @escaping @Sendable (OperationEnding) -> Void) -> Root {
        let handle = queue.add(recipe: recipe)
        handle.core.whenFinished(ended)
        return Root(core: handle.core, lateMembers: lateMembers)
    }

    /// The root of a running tree.
    package struct Root: Sendable {
        let core: OperationCore
        let lateMembers: LateMembers

        /// Keeps a group open until `settleMember`; false when it has ended in this run.
        package func reserveMember(in group: [String]) -> Bool { lateMembers.reserve(group) }

        /// Ends one reservation; `spec` joins the group, if any.
        package func settleMember(in group: [String], _ spec: OperationSpec?) {
            lateMembers.settle(group, spec)
        }

        /// Cancels the whole tree.
        package func cancel(code: ErrorCode, reason: String?) { core.cancel(code: code, reason: reason) }

        /// The time until which no progress is possible in the tree; nil when it is possible now.
        package func idleUntil() -> Timestamp? { core.idleUntil() }

        /// Whether no operation of the tree has started in this run.
        package var isPending: Bool { core.state == .initialized || core.state == .pending }

        /// All current waits of the tree's operations.
        package func allWaits() -> [OperationWait] { core.allWaits() }

        /// Suspends the tree without an outcome. Only after its journal was closed.
        package func suspend() {
            core.suspend()
            lateMembers.endReservations()
        }
    }
}
