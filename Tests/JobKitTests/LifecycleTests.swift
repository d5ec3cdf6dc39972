import Testing

@testable import JobKit

@Suite struct `The life cycle of an operation` {
    private static let now = Timestamp(milliseconds: 0)
    private static let request = OperationLife.StopRequest(
        error: AOperationError(.cancelledUser, detail: "enough"), state: .cancelled)
    private static let ending = OperationEnding(state: .succeeded)

    private static let path: [OperationLife.Event] = [
        .enqueued(dependencies: 0, isHeld: false), .evaluates(at: now), .isReady(at: now), .executes(at: now),
        .ends, .finished,
    ]

    /// All events of an operation's life, by name.
    private static let events: [(name: String, event: OperationLife.Event)] =
        zip(["enqueue", "evaluate", "ready", "execute", "end", "finish"], path).map { ($0, $1) }
        + [
            ("stop", .stopRequested(endsInside: false)), ("suspend", .suspended),
            ("unload", .unloaded),
        ]

    /// A life after the first `steps` steps of the usual path.
    private func life(after steps: Int) -> OperationLife {
        var life = OperationLife(at: Self.now)
        for event in Self.path.prefix(steps) {
            let isAllowed = life.accepts(event)
            #expect(isAllowed)
        }
        return life
    }

    /// The name of an action.
    private func name(_ action: OperationLife.Action) -> String { "\(action)" }

    @Test func `passes every station in order`() {
        var life = OperationLife(at: Self.now)
        var stations = [life.state]
        for event in Self.path where life.accepts(event) { stations.append(life.state) }
        #expect(stations == OperationState.allCases)
    }

    @Test(arguments: 0...6) func `allows exactly the documented events at each station`(steps: Int) {
        let allowed: [Set<String>] = [
            ["enqueue", "end", "stop", "suspend"], ["evaluate", "end", "stop", "suspend"],
            ["ready", "end", "stop", "suspend"], ["execute", "end", "stop", "suspend"],
            ["end", "stop", "suspend"], ["finish", "suspend"], [],
        ]
        for (name, event) in Self.events {
            var life = life(after: steps)
            let before = life.state
            let isAllowed = life.accepts(event)
            #expect(isAllowed == allowed[steps].contains(name), "\(name) in \(before)")
            if !isAllowed { #expect(life.state == before) }
        }
    }

    @Test func `ends once`() {
        var life = life(after: 4)
        let first = life.accepts(.ends)
        let second = life.accepts(.ends)
        let stop = life.requestStop(Self.request, endsInside: false)
        #expect(first && !second && name(stop) == "refuse")
        #expect(life.stop == nil)
    }

    // MARK: Beginning

    @Test func `begins when the last thing that it waits for has come`() {
        var life = OperationLife(at: Self.now)
        let added = life.apply(.dependencyAdded)
        let enqueued = life.apply(.enqueued(dependencies: 1, isHeld: false))
        #expect(name(added) == "proceed" && name(enqueued) == "proceed")
        let actions = (0..<4).map { _ in name(life.apply(.dependencyMet)) }
        #expect(actions == ["proceed", "proceed", "begin", "proceed"])
        #expect(!life.waitsForOthers)
    }

    @Test func `does not begin before it is released`() {
        var life = OperationLife(at: Self.now)
        _ = life.apply(.enqueued(dependencies: 0, isHeld: true))
        let met = life.apply(.dependencyMet)
        let released = life.apply(.released)
        let again = life.apply(.released)
        #expect(name(met) == "proceed" && name(released) == "begin" && name(again) == "refuse")
    }

    @Test func `goes on when it was held after it began`() {
        var life = life(after: 3)
        let held = life.apply(.held)
        #expect(name(held) == "proceed" && life.isHeld)
        let released = life.apply(.released)
        #expect(name(released) == "resume" && !life.isHeld)
    }

    @Test(arguments: 4...6) func `is too late to be held once it is executed`(steps: Int) {
        var life = life(after: steps)
        let held = life.apply(.held)
        #expect(name(held) == "refuse" && !life.isHeld)
    }

    // MARK: Stopping

    @Test(arguments: 0...4) func `ends at once when it is stopped, unless it is being executed`(steps: Int) {
        var life = life(after: steps)
        let action = life.requestStop(Self.request, endsInside: false)
        let isExecuting = steps == 4
        #expect(name(action) == (isExecuting ? "cancelTask" : "end"))
        #expect(life.state == (isExecuting ? .executing : .finishing))
        let again = life.requestStop(Self.request, endsInside: false)
        #expect(name(again) == "refuse")
    }

    @Test(arguments: 0...4) func `is ended by its own run when that has something to do at its end`(
        steps: Int
    ) {
        var life = life(after: steps)
        let before = life.state
        let action = life.requestStop(Self.request, endsInside: true)
        #expect(name(action) == "cancelTask" && life.state == before && life.stop != nil)
    }

    // MARK: Suspending

    @Test(arguments: 0...4) func `goes no further once its run is suspended, but out of memory`(steps: Int) {
        var life = life(after: steps)
        let isSuspended = life.accepts(.suspended)
        #expect(isSuspended && life.isSuspended && life.isSettled)
        for (name, event) in Self.events where name != "unload" {
            let isAllowed = life.accepts(event)
            #expect(!isAllowed, "\(name)")
        }
        let isUnloaded = life.accepts(.unloaded)
        let isOver = life.finish(Self.ending)
        #expect(isUnloaded && isOver && life.state == .finished)
    }

    @Test func `ends as decided when its run is suspended after that`() {
        var life = life(after: 5)
        let isSuspended = life.accepts(.suspended)
        let isUnloaded = life.accepts(.unloaded)
        let isOver = life.finish(Self.ending)
        #expect(isSuspended && !isUnloaded && isOver)
        #expect(life.ending == Self.ending)
    }

    @Test func `does not begin when its dependency ends after its run was suspended`() {
        var life = life(after: 1)
        _ = life.apply(.suspended)
        let action = life.apply(.dependencyMet)
        #expect(name(action) == "proceed")
    }

    // MARK: Conditions

    @Test func `knows its open conditions only while they are evaluated`() {
        var life = life(after: 2)
        _ = life.apply(.conditionsOpened(2))
        _ = life.apply(.needsOpened(1))
        #expect(life.conditions.unanswered == 2 && life.conditions.needing == 1)
        _ = life.apply(.isReady(at: Self.now))
        let late = life.accepts(.conditionsOpened(-2))
        #expect(!late && life.conditions.unanswered == 0)
    }
}

@Suite struct `The states of a job` {
    @Test func `leave a final state only for a retry`() {
        for state in JobState.allCases where state.isFinal {
            #expect(Set(state.successors).isSubset(of: [.queued]))
        }
    }

    @Test func `all lead to an end`() {
        for state in JobState.allCases where !state.isFinal {
            var reached: Set<JobState> = [state]
            for _ in JobState.allCases { reached.formUnion(reached.flatMap(\.successors)) }
            #expect(reached.contains { $0.isFinal }, "\(state)")
        }
    }
}
