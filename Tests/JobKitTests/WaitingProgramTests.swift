import Foundation
import JobKit
import Synchronization
import Testing
import TestOperations

/// Random programs on one to four queues whose operations wait for earlier ones in every way that there is, with
/// groups, exclusive and unique keys and cancellations. A seed drives the executor and the clock, so that one that
/// hangs is seen at once. JOBKIT_PROGRAMS=10000 runs ten thousand; JOBKIT_PROGRAM_SEED=7 repeats one.
@Suite struct `A random program of operations that wait for others` {
    static let seeds: [UInt64] = {
        let environment = ProcessInfo.processInfo.environment
        if let seed = environment["JOBKIT_PROGRAM_SEED"].flatMap(UInt64.init) { return [seed] }
        // 9811: members are cancelled as they get a slot, while a final member waits.
        return Array(1...(environment["JOBKIT_PROGRAMS"].flatMap(UInt64.init) ?? 300)) + [9_811]
    }()

    @Test func `ends, and no queue exceeds its capacity`() {
        for seed in Self.seeds {
            let program = WaitingProgram(seed: seed)
            let left = program.run()
            #expect(left == [], "seed \(seed): \(program.queues.count) queues")
            if !program.hasCancels { #expect(program.gauges.allSatisfy { $0.excess == 0 }, "seed \(seed)") }
            #expect(program.gauges.allSatisfy { $0.inside == 0 }, "seed \(seed)")
        }
    }

    @Test(arguments: [false, true])
    func `lets others have the slot of a group that is stopped as a member gets its own`(waits: Bool) {
        for seed in 1...400 as ClosedRange<UInt64> {
            var random = SeededRandom(seed: seed)
            let executor = StepExecutor()
            let environment = OperationEnvironment(clock: ManualClock(), executor: executor)
            let queue = AOperationQueue(capacity: 1, environment: environment)
            let other = AOperationQueue(environment: environment).add(
                ClosureOperation("other") { _ in for _ in 0..<20 { await Task.yield() } })
            let late = Mutex<OperationHandle<Void>?>(nil)
            let group = queue.add(
                GroupOperation("group", concurrency: 1) { scope in
                    for member in 0..<3 {
                        scope.add(
                            ClosureOperation("member \(member)") { _ in
                                if waits { _ = await other.waitUntilFinished() }
                                await Task.yield()
                            })
                    }
                    scope.addFinally(
                        ClosureOperation("last") { _ in _ = await late.withLock { $0 }?.waitUntilFinished() })
                })
            let needsTheSlot = queue.add(ClosureOperation("late") { _ in })
            late.withLock { $0 = needsTheSlot }
            for _ in 0..<random.below(60) { _ = executor.step(&random) }
            group.cancel()
            while executor.step(&random) {}
            #expect(group.ending != nil && needsTheSlot.ending != nil, "seed \(seed)")
        }
    }
}

/// Counts the operations of one queue that work.
private final class WorkGauge: Sendable {
    private struct Count {
        var inside = 0
        var excess = 0
    }

    private let capacity: Int
    private let count = Mutex(Count())

    init(capacity: Int) { self.capacity = capacity }

    var inside: Int { count.withLock { $0.inside } }
    var excess: Int { count.withLock { $0.excess } }

    func enter() {
        count.withLock { count in
            count.inside += 1
            count.excess = max(count.excess, count.inside - capacity)
        }
    }

    func leave() { count.withLock { $0.inside -= 1 } }
}

/// One program.
private final class WaitingProgram {
    private let clock = ManualClock()
    private let executor = StepExecutor()
    private var random: SeededRandom
    private var handles: [OperationHandle<Int>] = []
    private var victims: [Int] = []
    let queues: [AOperationQueue]
    let gauges: [WorkGauge]
    /// Whether work is cancelled, which goes on without a slot.
    private(set) var hasCancels: Bool

    init(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let environment = OperationEnvironment(clock: clock, executor: executor)
        let capacities = (0..<1 + random.below(4)).map { _ in 1 + random.below(5) / 3 }
        queues = capacities.map { AOperationQueue(capacity: $0, environment: environment) }
        gauges = capacities.map { WorkGauge(capacity: $0) }
        hasCancels = random.percent(40)
        self.random = random
    }

    /// Runs it; the explanations of the operations that can never end.
    func run() -> [String] {
        for index in 0..<4 + random.below(24) {
            let place = random.below(queues.count)
            handles.append(queues[place].add(operation(index, gauges[place])))
            if hasCancels, random.percent(15) { victims.append(index) }
            for _ in 0..<random.below(8) { _ = executor.step(&random) }
        }
        var wakes = 0
        while handles.contains(where: { $0.ending == nil }) {
            if random.percent(3), let victim = victims.popLast() { handles[victim].cancel() }
            if executor.step(&random) { continue }
            wakes += 1
            // The grace periods of cancelled operations begin again while something inside of them is open.
            guard let wake = clock.nextWake, wakes < 10_000 else {
                return handles.filter { $0.ending == nil }.map { $0.explain().description }
            }
            clock.advance(by: max(.zero, wake.since(clock.now)))
        }
        while executor.step(&random) {}
        return []
    }

    private func operation(_ index: Int, _ gauge: WorkGauge) -> OperationRecipe<Int> {
        let others = (0..<(index == 0 ? 0 : random.below(4))).map { _ in handles[random.below(index)] }
        // Who holds a key and waits may wait for one who needs it: that is a fault of the program.
        let keys =
            others.isEmpty && random.percent(50) ? (0...random.below(2)).map { _ in random.below(3) } : []
        var recipe =
            random.percent(25)
            ? group(index, others, gauge, keys) : single(index, others, gauge, by: random.below(5))
        if random.percent(15), let other = handles.last { recipe = recipe.after(other, on: .finished) }
        for key in keys { recipe = recipe.condition(MutualExclusion("key \(key)")) }
        if random.percent(15) {
            let early = keys.first.map { random.percent(60) ? ["key \($0)"] : [] } ?? []
            recipe = recipe.condition(Needing(keys: early, inner: early.isEmpty ? nil : innerKey(keys)))
        }
        if random.percent(15) {
            let conflict = [UniqueConflict.replace, .wait, .wait, .join, .reject][random.below(5)]
            hasCancels = hasCancels || conflict == .replace
            recipe = recipe.unique("one", onConflict: conflict)
        }
        return recipe.named("op \(index)").priority(random.below(10)).grace(.milliseconds(40))
    }

    /// A key for an operation inside of one that holds `keys`: the same or a lower one, since holders that want each
    /// other's keys are a fault of the program.
    private func innerKey(_ keys: [Int]) -> String? {
        guard random.percent(30) else { return nil }
        return "key \(random.below((keys.min() ?? 2) + 1))"
    }

    private func single(
        _ index: Int, _ others: [OperationHandle<Int>], _ gauge: WorkGauge, by way: Int
    ) -> OperationRecipe<Int> {
        ClosureOperation { context in
            gauge.enter()
            defer { gauge.leave() }
            await Task.yield()
            switch way {
            case 0:
                for other in others {
                    gauge.leave()
                    _ = await other.waitUntilFinished()
                    gauge.enter()
                }
            case 1:
                gauge.leave()
                await withTaskGroup(of: Void.self) { group in
                    for other in others { group.addTask { _ = try? await other.value } }
                }
                gauge.enter()
            case 2:
                let inner = ClosureOperation("inner") { _ in
                    for other in others { _ = await other.waitUntilFinishedOrCancelled() }
                }
                gauge.leave()
                _ = try? await context.run(inner)
                gauge.enter()
            case 3:
                let inner = ClosureOperation("inner") { _ in }.after(others, on: .finished)
                gauge.leave()
                _ = try? await context.run(inner)
                gauge.enter()
            default:
                for other in others {
                    gauge.leave()
                    _ = try? await other.value
                    gauge.enter()
                }
                await Task.yield()
            }
            await Task.yield()
            return index
        }.recipe
    }

    /// A group is counted by its members alone.
    private func group(
        _ index: Int, _ others: [OperationHandle<Int>], _ gauge: WorkGauge, _ keys: [Int]
    ) -> OperationRecipe<Int> {
        let members = (0..<1 + random.below(3)).map { member in
            var recipe =
                ClosureOperation("member \(member)") { _ in
                    await Task.yield()
                    for other in others where member % 2 == 0 { _ = await other.waitUntilFinished() }
                }.recipe
            if let other = others.first, member == 1 { recipe = recipe.after(other, on: .finished) }
            if others.isEmpty, let key = innerKey(keys) { recipe = recipe.condition(MutualExclusion(key)) }
            return recipe
        }
        let inner = GroupOperation("group", concurrency: random.percent(70) ? 1 : nil) { scope in
            for member in members { scope.add(member) }
            if let other = others.last {
                scope.addFinally(ClosureOperation("last") { _ in _ = await other.waitUntilFinished() })
            }
        }
        return inner.recipe.returning(index)
    }
}

/// Needs an operation first, perhaps with a key of its own, and perhaps with keys that are taken before.
private struct Needing: PrerequisiteCondition {
    let keys: [String]
    let inner: String?
    var name: String { "needing" }
    var exclusionKeys: [String] { keys }

    func prerequisites(in context: ConditionContext) async -> [Prerequisite] {
        let first = ClosureOperation("first") { _ in await Task.yield() }
        return [Prerequisite(inner.map { first.condition(MutualExclusion($0)) } ?? first.recipe)]
    }
}

extension OperationRecipe where Output == Void {
    /// The same operation with a result.
    fileprivate func returning(_ index: Int) -> OperationRecipe<Int> {
        let inner = self
        return OperationRecipe<Int>(name) { context in
            try await context.run(inner)
            return index
        }
    }
}
