import JobKit
import JobRunner
import Synchronization

/// The loop of one life of the server: first come first served, unless the dice let tasks overtake each other, which is
/// permitted.
// Safe because everything of a simulation happens on one thread.
final class SimulatedLoop: EngineLoop, @unchecked Sendable {
    private enum Work {
        case job(UnownedJob)
        case call(@Sendable () -> Void)
    }

    private let world: World
    private let machine: Machine
    private let mixesTasks: Bool
    private var work: [Work] = []
    private var head = 0
    /// Whether this life has ended, after which no task sleeps and no timer fires.
    private(set) var isDead = false
    private var sleepers: [Int: Sleeper] = [:]
    private var lastSleeper = 0

    init(world: World, machine: Machine, mixesTasks: Bool) {
        self.world = world
        self.machine = machine
        self.mixesTasks = mixesTasks
    }

    var sleeperCount: Int { sleepers.count }

    func enqueue(_ job: consuming ExecutorJob) { work.append(.job(UnownedJob(job))) }

    func execute(_ function: @escaping @Sendable () -> Void) { work.append(.call(function)) }

    var clock: any OperationClock { SimulatedClock(world: world, machine: machine, loop: self) }

    func makeTimer(_ handler: @escaping @Sendable () -> Void) -> any EngineTimer {
        SimulatedTimer(world: world, loop: self, handler: handler)
    }

    /// Runs one piece of ready work. False when there is none.
    func runNext() -> Bool {
        if machine.isStopped, !isDead { return false }
        guard head < work.count else {
            work.removeAll(keepingCapacity: true)
            head = 0
            return false
        }
        if mixesTasks { letOneOvertake() }
        let next = work[head]
        head += 1
        if head > 4_096 {
            work.removeFirst(head)
            head = 0
        }
        switch next {
        case .job(let job): unsafe job.runSynchronously(on: asUnownedTaskExecutor())
        case .call(let function): function()
        }
        return true
    }

    private func letOneOvertake() {
        let place = head + world.dice.below(min(6, work.count - head))
        guard place > head, case .job = work[place] else { return }
        work.insert(work.remove(at: place), at: head)
    }

    /// Ends this life and wakes sleepers as cancelled.
    func die() {
        isDead = true
        for number in sleepers.keys.sorted() { sleepers[number]?.end(isCancelled: true) }
    }

    fileprivate func enter(_ sleeper: Sleeper) -> Int {
        lastSleeper += 1
        sleepers[lastSleeper] = sleeper
        return lastSleeper
    }

    fileprivate func leave(_ number: Int) { sleepers[number] = nil }
}

/// The world's clock with sleeps on a loop.
private struct SimulatedClock: OperationClock {
    let world: World
    let machine: Machine
    let loop: SimulatedLoop

    var now: Timestamp { machine.now }

    var uptime: Duration { .microseconds(world.time) }

    func sleep(for duration: Duration) async throws {
        guard duration > .zero else { return }
        let sleeper = Sleeper(loop: loop)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                sleeper.begin(continuation, duration, world)
            }
        } onCancel: {
            sleeper.end(isCancelled: true)
        }
    }
}

/// A sleeping task.
// Safe because everything of a simulation happens on one thread.
private final class Sleeper: @unchecked Sendable {
    private let loop: SimulatedLoop
    private var continuation: CheckedContinuation<Void, any Error>?
    private var number = 0
    private var isOver = false

    init(loop: SimulatedLoop) { self.loop = loop }

    func begin(_ continuation: CheckedContinuation<Void, any Error>, _ duration: Duration, _ world: World) {
        guard !isOver, !loop.isDead else {
            // Later, so that other tasks get on meanwhile.
            return loop.execute { continuation.resume(throwing: CancellationError()) }
        }
        self.continuation = continuation
        number = loop.enter(self)
        world.after(duration) { self.end(isCancelled: false) }
    }

    func end(isCancelled: Bool) {
        isOver = true
        guard let continuation else { return }
        self.continuation = nil
        loop.leave(number)
        if isCancelled {
            continuation.resume(throwing: CancellationError())
        } else {
            continuation.resume()
        }
    }
}

/// A timer of a simulated loop.
// Safe because everything of a simulation happens on one thread.
private final class SimulatedTimer: EngineTimer, @unchecked Sendable {
    private let world: World
    private let loop: SimulatedLoop
    private let handler: @Sendable () -> Void
    private var setting = 0

    init(world: World, loop: SimulatedLoop, handler: @escaping @Sendable () -> Void) {
        self.world = world
        self.loop = loop
        self.handler = handler
    }

    func schedule(after delay: Duration) { set(delay, interval: nil) }

    func schedule(every interval: Duration) { set(interval, interval: interval) }

    private func set(_ delay: Duration, interval: Duration?) {
        setting += 1
        let wanted = setting
        world.after(delay) { [weak self] in self?.fire(wanted, interval) }
    }

    private func fire(_ wanted: Int, _ interval: Duration?) {
        guard wanted == setting, !loop.isDead else { return }
        if let interval { set(interval, interval: interval) }
        loop.execute(handler)
    }
}
