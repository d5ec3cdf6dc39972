import Foundation
import JobKit
import JobSpec
import StrictJSON
import Synchronization
import Testing

@testable import DurableJobs

/// Content that the work of a job needs and that is made after its kind.
private final class Box<Content: Sendable>: Sendable {
    private let state = Mutex<Content?>(nil)

    var content: Content? {
        get { state.withLock { $0 } }
        set { state.withLock { $0 = newValue } }
    }

    /// The content, once it is there.
    func get() async throws -> Content {
        while true {
            if let content { return content }
            try await Task.sleep(for: .milliseconds(1))
        }
    }
}

private func start(
    _ directory: String, concurrency: Int, _ kinds: [OperationKind]
) async throws -> JobEngine {
    var options = JobEngine.Options()
    options.survivesPowerFailure = false
    options.concurrency = concurrency
    options.drainTimeout = .seconds(1)
    return try await JobEngine.start(at: directory, kinds: kinds, options: options)
}

@Suite(.timeLimit(.minutes(1))) struct `A job that waits for another one` {
    private let directory = NSTemporaryDirectory() + "waiting-\(UUID().uuidString)"

    @Test func `needs no slot meanwhile, however it waits`() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let engine = Box<JobEngine>()
        let leaf = DurableKind<Int, Int>("leaf") { value, _ in value + 1 }
        let outer = DurableKind<String, Int>("outer") { way, _ in
            let jobs = try await engine.get()
            let inner = try await jobs.submit(leaf, 1)
            switch way {
            case "value": return try await inner.value
            case "finished":
                _ = try await inner.waitUntilFinished()
                return try await inner.value
            case "changes":
                for try await _ in inner.changes {}
                return try await inner.value
            default:
                let queue = AOperationQueue(capacity: 1)
                return try await queue.add(ClosureOperation("between") { _ in try await inner.value }).value
            }
        }
        let jobs = try await start(directory, concurrency: 1, [leaf.kind, outer.kind])
        engine.content = jobs
        for way in ["value", "finished", "changes", "queue"] {
            #expect(try await jobs.submit(outer, way).value == 2, "\(way)")
        }
        await jobs.stop()
    }

    @Test(arguments: ["value", "finished", "changes"])
    func `may need the queue of an operation that waits for it`(way: String) async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let queue = AOperationQueue(capacity: 1)
        let isQueued = Box<Bool>()
        let kind = DurableKind<Int, Int>("inner") { value, _ in
            _ = try await isQueued.get()
            return try await queue.add(ClosureOperation("behind") { _ in value + 1 }).value
        }
        let jobs = try await start(directory, concurrency: 1, [kind.kind])
        let handle = try await jobs.submit(kind, 1)
        let waiting = queue.add(
            ClosureOperation("waiting") { _ in
                isQueued.content = true
                switch way {
                case "finished": _ = try await handle.waitUntilFinished()
                case "changes": for try await _ in handle.changes {}
                default: break
                }
                return try await handle.value
            })
        #expect(try await waiting.value == 2)
        await jobs.stop()
    }

    @Test func `is refused when that one waits for it, with the path`() async throws {
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let (first, second) = (Box<JobHandle<Int>>(), Box<JobHandle<Int>>())
        let kind = DurableKind<Bool, Int>("cross") { isFirst, _ in
            try await (isFirst ? second : first).get().value
        }
        let own = DurableKind<Int, Int>("own") { _, _ in try await first.get().value }
        let jobs = try await start(directory, concurrency: 2, [kind.kind, own.kind])
        first.content = try await jobs.submit(kind, true)
        second.content = try await jobs.submit(kind, false)
        let ends = [try await first.get().waitUntilFinished(), try await second.get().waitUntilFinished()]
        #expect(ends.allSatisfy { $0.state == .failed })
        #expect(ends.contains { $0.error?.code == .dependencyCycle })
        first.content = nil
        let narcissus = try await jobs.submit(own, 0)
        first.content = narcissus
        let error = try await narcissus.waitUntilFinished().error
        #expect(error?.code == .dependencyCycle)
        #expect(error?.detail.contains("\(narcissus.id) → \(narcissus.id)") == true)
        await jobs.stop()
    }
}

/// Random programs of jobs that wait for earlier ones, in every way that there is, with keys, unique keys, groups and
/// cancellations. DURABLE_PROGRAMS=500 runs 500.
@Suite(.timeLimit(.minutes(5))) struct `A random program of jobs that wait for others` {
    private static let count =
        ProcessInfo.processInfo.environment["DURABLE_PROGRAMS"].flatMap(Int.init) ?? 20

    @Test(arguments: 1...4) func `ends, and no more work at once than may`(concurrency: Int) async throws {
        let directory = NSTemporaryDirectory() + "programs-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let board = JobBoard(concurrency: concurrency)
        let jobs = try await start(directory, concurrency: concurrency, [board.kind.kind])
        for number in 0..<(Self.count + 3) / 4 {
            var program = JobProgram(seed: UInt64(number * 4 + concurrency), board)
            try await program.run(on: jobs)
        }
        await jobs.stop()
        #expect(board.excess == 0)
    }
}

/// The jobs of the program that runs, and how many of them work.
private final class JobBoard: Sendable {
    private struct State {
        var handles: [Int: JobHandle<OperationResult>] = [:]
        var working = 0
        var excess = 0
    }

    struct Step: Codable, Sendable {
        var awaits: [Int]
        var way: Int
        /// Whether it counts, as the only work of its job.
        var isAlone = true
    }

    private let concurrency: Int
    private let state = Mutex(State())
    private let queue = AOperationQueue(capacity: 1)

    init(concurrency: Int) { self.concurrency = concurrency }

    var excess: Int { state.withLock { $0.excess } }

    var kind: DurableKind<Step, Int> {
        DurableKind("step") { [self] step, _ in
            enter(step)
            defer { leave(step) }
            await Task.yield()
            for index in step.awaits {
                guard let handle = state.withLock({ $0.handles[index] }) else { continue }
                leave(step)
                defer { enter(step) }
                switch step.way {
                case 0: _ = try await handle.waitUntilFinished()
                case 1: for try await _ in handle.changes {}
                case 2:
                    _ = await queue.add(ClosureOperation { _ in try await handle.waitUntilFinished() })
                        .waitUntilFinished()
                default: _ = try? await handle.value
                }
            }
            return step.awaits.count
        }
    }

    func begin() { state.withLock { $0.handles = [:] } }
    func add(_ handle: JobHandle<OperationResult>, _ index: Int) {
        state.withLock { $0.handles[index] = handle }
    }

    private func enter(_ step: Step) {
        guard step.isAlone else { return }
        state.withLock { state in
            state.working += 1
            // Work that is cancelled goes on without a slot.
            if !Task.isCancelled { state.excess = max(state.excess, state.working - concurrency) }
        }
    }

    private func leave(_ step: Step) { if step.isAlone { state.withLock { $0.working -= 1 } } }
}

private struct JobProgram {
    private var random: Random
    private let board: JobBoard

    init(seed: UInt64, _ board: JobBoard) {
        random = Random(state: seed)
        self.board = board
    }

    mutating func run(on jobs: JobEngine) async throws {
        board.begin()
        var handles: [JobHandle<OperationResult>] = []
        let prefix = UUID().uuidString
        for index in 0..<3 + random.below(8) {
            let awaits = index == 0 ? [] : (0..<random.below(3)).map { _ in random.below(index) }
            let handle = try await jobs.submit(spec(awaits, prefix))
            board.add(handle, index)
            handles.append(handle)
            if random.below(12) == 0 { try await handles[random.below(handles.count)].cancel() }
        }
        for handle in handles { _ = try await handle.waitUntilFinished() }
    }

    private mutating func spec(_ awaits: [Int], _ prefix: String) throws -> JSONValue {
        let way = random.below(4)
        func step(_ awaits: [Int], isAlone: Bool) throws -> JSONObject {
            var object = JSONObject()
            object["type"] = "step"
            object["parameters"] = try JSONValue(
                encoding: JobBoard.Step(awaits: awaits, way: way, isAlone: isAlone))
            return object
        }
        var spec = try step(awaits, isAlone: true)
        if random.below(5) == 0 {
            spec = JSONObject()
            spec["type"] = "group"
            spec["concurrency"] = .number(JSONNumber(1))
            spec["operations"] = .array([
                .object(try step(awaits, isAlone: false)), .object(try step([], isAlone: false)),
            ])
        }
        // Who holds a key and waits may wait for one who needs it: that is a fault of the program.
        if awaits.isEmpty, random.below(3) == 0 {
            spec["conditions"] = [["type": "lock", "key": .string("\(prefix) key")]]
        }
        if random.below(6) == 0 {
            spec["unique"] = [
                "key": .string("\(prefix) one"),
                "on_conflict": .string(["wait", "join", "replace"][random.below(3)]),
            ]
        }
        return .object(spec)
    }
}

/// SplitMix64.
private struct Random {
    var state: UInt64

    mutating func below(_ limit: Int) -> Int {
        state &+= 0x9E37_79B9_7F4A_7C15
        var word = state
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return Int((word ^ (word >> 31)) % UInt64(limit))
    }
}
