import Testing

@testable import JobKit

@Suite struct `The life cycle of an operation` {
    private static let path: [OperationLifecycle.Event] = [
        .enqueue, .evaluate, .makeReady, .execute, .end, .finish,
    ]

    /// A lifecycle that has taken the first `steps` steps of the usual path.
    private func lifecycle(after steps: Int) -> OperationLifecycle {
        var lifecycle = OperationLifecycle()
        for event in Self.path.prefix(steps) {
            let isAllowed = lifecycle.apply(event)
            #expect(isAllowed)
        }
        return lifecycle
    }

    @Test func `passes every station in order`() {
        var lifecycle = OperationLifecycle()
        var stations = [lifecycle.state]
        for event in Self.path where lifecycle.apply(event) { stations.append(lifecycle.state) }
        #expect(stations == OperationState.allCases)
    }

    @Test(arguments: 0...6) func `allows exactly the documented events at each station`(steps: Int) {
        let allowed: [[OperationLifecycle.Event]] = [
            [.enqueue, .end, .suspend], [.evaluate, .end, .suspend], [.makeReady, .end, .suspend],
            [.execute, .end, .suspend], [.end, .suspend], [.finish, .suspend], [],
        ]
        for event in OperationLifecycle.Event.allCases {
            var lifecycle = lifecycle(after: steps)
            let before = lifecycle.state
            let isAllowed = lifecycle.apply(event)
            #expect(isAllowed == allowed[steps].contains(event), "\(event) in \(before)")
            if !isAllowed { #expect(lifecycle.state == before) }
        }
    }

    @Test func `ends once`() {
        var lifecycle = lifecycle(after: 4)
        let first = lifecycle.apply(.end)
        let second = lifecycle.apply(.end)
        #expect(first && !second)
    }

    @Test(arguments: 0...4) func `goes no further once its run is suspended, but out of memory`(steps: Int) {
        var lifecycle = lifecycle(after: steps)
        let isSuspended = lifecycle.apply(.suspend)
        #expect(isSuspended && lifecycle.isSuspended && lifecycle.isSettled)
        for event in OperationLifecycle.Event.allCases where event != .unload {
            let isAllowed = lifecycle.apply(event)
            #expect(!isAllowed, "\(event)")
        }
        let isUnloaded = lifecycle.apply(.unload)
        let isOver = lifecycle.apply(.finish)
        #expect(isUnloaded && isOver && lifecycle.state == .finished)
    }

    @Test func `ends as decided when its run is suspended after that`() {
        var lifecycle = lifecycle(after: 5)
        let isSuspended = lifecycle.apply(.suspend)
        let isUnloaded = lifecycle.apply(.unload)
        let isOver = lifecycle.apply(.finish)
        #expect(isSuspended && !isUnloaded && isOver)
    }
}

@Suite struct `The states of a job` {
    @Test func `leave a final state only for a retry`() {
        for state in JobState.allCases where state.isFinal {
            #expect(Set(state.successors).isSubset(of: [.queued]))
            #expect(state.outcome != nil)
        }
    }

    @Test func `all lead to an end`() {
        for state in JobState.allCases where !state.isFinal {
            var reached: Set<JobState> = [state]
            for _ in JobState.allCases { reached.formUnion(reached.flatMap(\.successors)) }
            #expect(reached.contains { $0.isFinal }, "\(state)")
            #expect(state.outcome == nil)
        }
    }
}
