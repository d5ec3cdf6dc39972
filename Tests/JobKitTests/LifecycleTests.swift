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
            [.enqueue, .end], [.evaluate, .end], [.makeReady, .end], [.execute, .end], [.end], [.finish], [],
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
