import Foundation
import JobKit
import Synchronization
import Testing
import TestOperations

/// Random graphs of operations with conditions, exclusive keys, failures, retries, limits and cancellations, on a clock
/// and an executor that a seed drives. JOBKIT_GRAPHS=100 runs a hundred; JOBKIT_GRAPH_SEED=7 repeats one.
@Suite struct `A random graph` {
    static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["JOBKIT_GRAPH_SEED"].flatMap(UInt64.init) { return [seed] }
        return Array(1...(environment["JOBKIT_GRAPHS"].flatMap(UInt64.init) ?? 4))
    }()

    @Test(arguments: seeds) func `of 5,000 operations ends and violates no invariant`(seed: UInt64) {
        let world = GraphWorld(seed: seed)
        world.build(count: 5_000)
        let isOver = world.run()
        #expect(isOver, "seed \(seed): nothing can go on, and \(world.unfinished) are not finished")
        #expect(world.faults == [], "seed \(seed)")
        let states = world.handles.compactMap { $0.ending?.state }
        #expect(states.count == 5_000, "seed \(seed)")
        for state in [JobState.succeeded, .failed, .cancelled, .skipped] {
            #expect(states.contains(state), "seed \(seed): the graph has no \(state)")
        }
    }
}

/// One graph with its environment.
private final class GraphWorld {
    let clock = ManualClock()
    let executor = StepExecutor()
    let watch = GraphWatch()
    let queue: AOperationQueue
    var handles: [OperationHandle<Int>] = []
    private var random: SeededRandom
    private var victims: [Int] = []

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        queue = AOperationQueue(
            capacity: GraphWatch.capacity,
            environment: OperationEnvironment(clock: clock, executor: executor))
    }

    var unfinished: Int { queue.unfinishedCount }
    var faults: [String] { watch.faults }

    func build(count: Int) {
        for index in 0..<count {
            handles.append(queue.add(operation(index)))
            if random.percent(20) { victims.append(index) }
        }
        victims.shuffle(using: &random)
    }

    /// Runs everything; false when no progress is possible although something is unfinished.
    func run() -> Bool {
        while queue.unfinishedCount > 0 {
            if random.percent(3), let victim = victims.popLast() { handles[victim].cancel() }
            if executor.step(&random) { continue }
            if let wake = clock.nextWake {
                clock.advance(by: wake.since(clock.now))
            } else if let victim = victims.popLast() {
                handles[victim].cancel()
            } else {
                return false
            }
        }
        while executor.step(&random) {}
        watch.checkEnd(handles)
        return true
    }

    private func operation(_ index: Int) -> OperationRecipe<Int> {
        let upstreams = (0..<(index > 0 ? random.below(4) : 0)).map { _ in
            handles[max(0, index - 1 - random.below(min(index, 200)))]
        }
        let conditions = (0..<random.below(3)).map { _ in condition() }
        let keys = Set(conditions.flatMap(\.exclusionKeys))
        let visit = GraphVisit(index: index, keys: keys, upstreams: upstreams, watch: watch)
        var recipe = random.percent(5) ? group(visit) : single(visit)
        for upstream in upstreams {
            recipe = recipe.after(upstream, on: [.succeeded, .finished, .finished, .failed][random.below(4)])
        }
        for condition in conditions { recipe = recipe.condition(condition) }
        if random.percent(15) { recipe = recipe.retry(attempts: 3, backoff: .fixed(.milliseconds(20))) }
        if random.percent(10) { recipe = recipe.timeout(.milliseconds(30)) }
        if random.percent(5) { recipe = recipe.deadline(after: .milliseconds(random.below(5_000))) }
        return recipe.priority(random.below(10)).grace(.milliseconds(40)).observer(watch)
    }

    private func condition() -> any OperationCondition {
        switch random.below(12) {
        case 0: ClosureCondition("no") { _ in false }
        case 1: ClosureCondition("skip", otherwise: .skip) { _ in false }
        case 2: NegatedCondition(ClosureCondition("no") { _ in false })
        case 3: NoFailedDependencies()
        case 4: IgnoredCondition(NoCancelledDependencies())
        case 5, 6, 7: MutualExclusion("key \(random.below(GraphWatch.keyCount))")
        case 8:
            ClosureCondition("slow") { context in
                try? await context.environment.clock.sleep(for: .milliseconds(15))
                return true
            }
        default: ClosureCondition("yes") { _ in true }
        }
    }

    private func single(_ visit: GraphVisit) -> OperationRecipe<Int> {
        let kind = random.below(10)
        let nap = random.below(50)
        let failures = Mutex(random.below(4))
        return ClosureOperation("op \(visit.index)") { context in
            await visit.enter()
            defer { visit.leave() }
            switch kind {
            case 0: throw AOperationError(ErrorCode("test.failed"), detail: "always")
            case 1:
                let fails = failures.withLock { left in
                    left -= 1
                    return left >= 0
                }
                if fails { throw AOperationError(ErrorCode("test.flaky"), detail: "not yet") }
            case 2, 3, 4: try await context.clock.sleep(for: .milliseconds(nap))
            default: await Task.yield()
            }
            return visit.index
        }.recipe
    }

    private func group(_ visit: GraphVisit) -> OperationRecipe<Int> {
        let count = random.below(5)
        let isBroken = random.percent(20)
        let inner = GroupOperation("group \(visit.index)", concurrency: 2) { scope in
            for member in 0..<count {
                scope.add(
                    ClosureOperation("member \(member)") { context in
                        try await context.clock.sleep(for: .milliseconds(member * 7))
                        if isBroken { throw AOperationError(ErrorCode("test.member"), detail: "as asked") }
                    })
            }
        }
        return OperationRecipe<Int>("group \(visit.index)") { context in
            await visit.enter()
            defer { visit.leave() }
            try await inner.execute(in: context)
            return visit.index
        }
    }
}

/// The first and last action of an operation in a graph.
private struct GraphVisit: Sendable {
    let index: Int
    let keys: Set<String>
    let upstreams: [OperationHandle<Int>]
    let watch: GraphWatch

    func enter() async {
        watch.enter(index, keys)
        for upstream in upstreams {
            guard let ending = upstream.ending else {
                watch.note("op \(index) runs before \(upstream.name) has ended")
                continue
            }
            let value = try? await upstream.value
            if (value != nil) != (ending.state == .succeeded) {
                watch.note("\(upstream.name) is \(ending.state), and its value is \(value ?? -1)")
            }
        }
    }

    func leave() { watch.leave(keys) }
}

/// Observes a graph and records violations.
private final class GraphWatch: OperationObserver {
    static let capacity = 16
    static let keyCount = 3

    private struct Sight {
        var inside = 0
        var keys: Set<String> = []
        var endings: [String: Int] = [:]
        var sequences: [String: Int] = [:]
        var faults: [String] = []
    }

    private let sight = Mutex(Sight())

    var faults: [String] { sight.withLock { Array($0.faults.prefix(5)) } }

    func note(_ fault: String) { sight.withLock { $0.faults.append(fault) } }

    func enter(_ index: Int, _ keys: Set<String>) {
        sight.withLock { sight in
            if !sight.keys.isDisjoint(with: keys) { sight.faults.append("op \(index) overlaps on \(keys)") }
            sight.keys.formUnion(keys)
            sight.inside += 1
            if sight.inside > Self.capacity {
                sight.faults.append("\(sight.inside) at once, with op \(index)")
            }
        }
    }

    func leave(_ keys: Set<String>) {
        sight.withLock { sight in
            sight.keys.subtract(keys)
            sight.inside -= 1
        }
    }

    func operation(_ operation: OperationInfo, did event: OperationEvent) {
        sight.withLock { sight in
            if sight.endings[operation.name] != nil {
                sight.faults.append("\(operation.name): \(event.kind) behind its end")
            }
            if event.sequence <= sight.sequences[operation.name] ?? 0 {
                sight.faults.append("\(operation.name): event \(event.sequence) out of order")
            }
            sight.sequences[operation.name] = event.sequence
            if case .finished = event.kind { sight.endings[operation.name, default: 0] += 1 }
        }
    }

    /// Every operation has one end and, when it succeeded, a value.
    func checkEnd(_ handles: [OperationHandle<Int>]) {
        sight.withLock { sight in
            if sight.inside != 0 { sight.faults.append("\(sight.inside) still inside") }
            for handle in handles where sight.endings[handle.name] != 1 {
                sight.faults.append("\(handle.name) has \(sight.endings[handle.name] ?? 0) ends")
            }
        }
    }
}
