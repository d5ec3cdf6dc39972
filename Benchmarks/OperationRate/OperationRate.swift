import Glibc
import JobKit

// The rate and the memory of operations of JobKit. Everything is measured in one process; run it in release: `swift run
// -c release OperationRate [count]`.

@main
enum OperationRate {
    static func main() async {
        let count = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 100_000
        print("\(count) operations each, µs and bytes per operation")
        await measureDelays(count)
        await measureOneKey(16_000)
        await measureCancelling(count)
        for round in ["cold", "warm"] {
            await measure("\(round): plain, no limit", count) { queue in
                for index in 0..<count { queue.add(Counting(index: index)) }
                await queue.waitUntilDrained()
            }
        }
        await measure("four at once", count, capacity: 4) { queue in
            for index in 0..<count { queue.add(Counting(index: index)) }
            await queue.waitUntilDrained()
        }
        await measure("with an observer", count) { queue in
            for index in 0..<count { queue.add(Counting(index: index).observer(ClosureObserver { _, _ in })) }
            await queue.waitUntilDrained()
        }
        await measure("with a condition", count) { queue in
            for index in 0..<count { queue.add(Counting(index: index).condition(Always())) }
            await queue.waitUntilDrained()
        }
        await measure("one exclusive key", count) { queue in
            for index in 0..<count { queue.add(Counting(index: index).condition(.exclusive("key"))) }
            await queue.waitUntilDrained()
        }
        await measure("with retries", count) { queue in
            for index in 0..<count { queue.add(Counting(index: index).retry(attempts: 3)) }
            await queue.waitUntilDrained()
        }
        await measure("with a timeout", count) { queue in
            for index in 0..<count { queue.add(Counting(index: index).timeout(.seconds(60))) }
            await queue.waitUntilDrained()
        }
        await measure("one long chain", count) { queue in
            var last = queue.add(Counting(index: 0))
            for index in 1..<max(2, count) { last = queue.add(Counting(index: index).after(last)) }
            _ = await last.waitUntilFinished()
        }
        await measure("a chain that delivers", count) { queue in
            var last = queue.add(Counting(index: 0))
            for _ in 1..<max(2, count) { last = queue.add(last.map { $0 + 1 }) }
            _ = await last.waitUntilFinished()
        }
        await measure("members of one group", count) { queue in
            _ = await queue.add(
                GroupOperation("group") { group in
                    for index in 0..<count { group.add(Counting(index: index)) }
                }
            ).waitUntilFinished()
        }
    }

    /// Measures one shape of work on a fresh queue.
    private static func measure(
        _ name: String, _ count: Int, capacity: Int? = nil, _ body: (AOperationQueue) async -> Void
    ) async {
        let queue = AOperationQueue(capacity: capacity)
        let begin = ContinuousClock.now
        await body(queue)
        report(name, count, ContinuousClock.now - begin)
    }

    /// Adds delays, then delays that wait for one key, and prints their memory. All of them stay until the end: what is
    /// free again in the process would hide the memory of the later ones.
    private static func measureDelays(_ count: Int) async {
        var queues: [AOperationQueue] = []
        for (name, conditions) in [
            ("a delay", []), ("a delay that waits for a key", [MutualExclusion("key")]),
        ] {
            let queue = AOperationQueue()
            queues.append(queue)
            let before = residentBytes()
            var last: OperationHandle<Void>?
            for _ in 0..<count {
                var delay = DelayOperation(.after(.seconds(3_600))).recipe
                for condition in conditions { delay = delay.condition(condition) }
                last = queue.add(delay)
            }
            let state: OperationState = conditions.isEmpty ? .executing : .ready
            while last?.state != state { await Task.yield() }
            for _ in 0..<1_000 { await Task.yield() }
            let bytes = residentBytes() - before
            print("\(name): \(bytes / max(1, count)) resident bytes each, \(bytes / 1_048_576) MiB in all")
        }
        for queue in queues {
            queue.cancelAll()
            await queue.waitUntilDrained()
        }
    }

    /// Runs operations that share one exclusive key, half as many and all: twice as many should take twice as long.
    private static func measureOneKey(_ count: Int) async {
        for count in [count / 2, count] {
            await measure("\(count) with one exclusive key", count) { queue in
                for index in 0..<count { queue.add(Counting(index: index).condition(.exclusive("key"))) }
                await queue.waitUntilDrained()
            }
        }
    }

    /// Adds a group of waiting members, prints their memory, and cancels them all.
    private static func measureCancelling(_ count: Int) async {
        let queue = AOperationQueue()
        let before = residentBytes()
        var begin = ContinuousClock.now
        let group = queue.add(
            GroupOperation("group", concurrency: 1) { group in
                let first = group.add(DelayOperation(.after(.seconds(3_600))))
                for index in 0..<count { group.add(Counting(index: index).after(first)) }
            })
        while group.members?.count.open != count + 1 { await Task.yield() }
        report("waiting members of one group", count, ContinuousClock.now - begin)
        print("  resident bytes for one that waits: \((residentBytes() - before) / max(1, count))")
        begin = ContinuousClock.now
        group.cancel()
        _ = await group.waitUntilFinished()
        report("stopping that group", count, ContinuousClock.now - begin)
    }

    private static func report(_ name: String, _ count: Int, _ time: Duration) {
        let seconds = Double(time.components.seconds) + Double(time.components.attoseconds) / 1e18
        let each = (seconds * 1e6 / Double(max(1, count)) * 100).rounded() / 100
        let perSecond = Int(Double(count) / max(seconds, 1e-9))
        let resident = residentBytes() / 1_048_576
        print("\(name): \(each) µs each, \(perSecond)/s, \(Int(seconds * 1e3)) ms, resident \(resident) MiB")
    }

    /// The resident memory of the process; 0 when unknown.
    private static func residentBytes() -> Int {
        guard let file = unsafe fopen("/proc/self/statm", "r") else { return 0 }
        defer { unsafe fclose(file) }
        var buffer = [CChar](repeating: 0, count: 128)
        guard unsafe fgets(&buffer, 128, file) != nil else { return 0 }
        let text = String(decoding: buffer.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        let words = text.split(separator: " ")
        return words.count > 1 ? (Int(words[1]) ?? 0) * 4_096 : 0
    }
}

/// Does next to nothing.
private struct Counting: AOperation {
    let index: Int
    var name: String { "counting" }
    func execute(in context: OperationContext) async throws -> Int { index }
}

/// A condition that always holds.
private struct Always: OperationCondition {
    func evaluate(in context: ConditionContext) async -> ConditionVerdict { .satisfied }
}
