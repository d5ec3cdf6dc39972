import Synchronization

@testable import JobKit

/// Fails with its own code.
struct Failing: AOperation {
    var name = "failing"
    var code = "test.failed"
    func execute(in context: AOperationContext) async throws {
        throw AOperationError(ErrorCode(code), detail: "as asked")
    }
}

/// Runs until it is cancelled.
struct Endless: AOperation {
    var name = "endless"
    func execute(in context: AOperationContext) async throws {
        try await context.clock.sleep(for: .seconds(1_000_000))
    }
}

/// Returns a value.
struct Giving<Value: Sendable>: AOperation {
    var name = "giving"
    let value: Value
    init(_ value: Value, name: String = "giving") {
        self.value = value
        self.name = name
    }
    func execute(in context: AOperationContext) async throws -> Value { value }
}

/// A latch that opens once, for all waiters.
final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())

    var isOpen: Bool { state.withLock { $0.isOpen } }

    func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiters.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}

/// A list that many tasks append to.
final class Record<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])
    func append(_ element: Element) { elements.withLock { $0.append(element) } }
    var all: [Element] { elements.withLock { $0 } }
}

/// Counts the operations inside at the same time.
final class Gauge: Sendable {
    private let counts = Mutex((now: 0, most: 0))
    func enter() {
        counts.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
        }
    }
    func leave() { counts.withLock { $0.now -= 1 } }

    /// Enters, stays until `count` were inside at once, and then long enough for one too many to enter.
    func visit(with count: Int) async {
        enter()
        var patience = 1_000_000
        while most < count, patience > 0 {
            await Task.yield()
            patience -= 1
        }
        for _ in 0..<10 { await Task.yield() }
        leave()
    }

    var most: Int { counts.withLock { $0.most } }
}
