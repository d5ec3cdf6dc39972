package import JobKit

/// The operations of one job in memory: built from its spec, run once, suspended when nothing can go on for a while.
package final class JobTree: Sendable {
    private let queue: AOperationQueue
    private let recipe: AOperationRecipe<OperationResult>
    private let desk: MemberDesk

    /// The tree of a spec.
    /// - Parameters:
    ///   - environment: with the journal of the run, the time of submission and the seed.
    ///   - past: what earlier runs of the job did; nil when there were none.
    ///   - services: the services of calls, shared by all jobs.
    ///   - kinds: the types that are not built in. An operation of a type that is nowhere fails when its turn comes.
    package init(
        spec: JobSpec, environment: AOperationEnvironment, past: JournalFold? = nil,
        kinds: OperationKinds = .none, services: CallServices = CallServices()
    ) {
        queue = AOperationQueue(environment: environment)
        let compiler = SpecCompiler(
            board: ResultBoard(
                past: environment.journal, artifacts: environment.artifacts, services: services),
            room: RunRoom(limits: environment.limits, past: past, journal: environment.journal),
            job: JobFacts(spec, environment: environment),
            grants: environment.grants, kinds: kinds)
        desk = compiler.desk
        recipe = compiler.recipe(for: spec.operation, at: .root, path: [])
    }

    /// Begins, and calls `ended` once with the outcome of the root; `cancelled` when the tree was suspended.
    package func start(ended: @escaping @Sendable (OperationEnding) -> Void) -> Root {
        let handle = queue.add(recipe)
        handle.core.whenFinished(ended)
        return Root(core: handle.core, desk: desk)
    }

    /// The root of a running tree.
    package struct Root: Sendable {
        let core: OperationCore
        let desk: MemberDesk

        /// Keeps a group open until `settleMember`; false when it is over. It must be known not to be over from an
        /// earlier run.
        package func reserveMember(in group: [String]) -> Bool { desk.reserve(group) }

        /// Ends one reservation; `spec` joins the group, nil when nothing does.
        package func settleMember(in group: [String], _ spec: OperationSpec?) { desk.settle(group, spec) }

        /// Asks the whole tree to stop.
        package func cancel(code: ErrorCode, reason: String?) { core.cancel(code: code, reason: reason) }

        /// Until when nothing in the tree can go on; nil when something can.
        package func idleUntil() -> Timestamp? { core.idleUntil() }

        /// Whether nothing of the tree has begun in this run.
        package var isPending: Bool { core.state == .initialized || core.state == .pending }

        /// All that operations of the tree wait for just now.
        package func allWaits() -> [OperationWait] { core.allWaits() }

        /// Takes the tree out of memory without an outcome. Only when its journal takes nothing any more.
        package func suspend() {
            core.suspend()
            desk.endReservations()
        }
    }
}
