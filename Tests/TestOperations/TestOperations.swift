internal import Synchronization
package import JobKit

/// Fails with its own code.
package struct Failing: AOperation {
    package var name: String
    package var code: String

    package init(name: String = "failing", code: String = "test.failed") {
        self.name = name
        self.code = code
    }

    package func execute(in context: OperationContext) async throws {
        throw AOperationError(ErrorCode(code), detail: "as asked")
    }
}

/// Runs until it is cancelled.
package struct Endless: AOperation {
    package var name: String

    package init(name: String = "endless") { self.name = name }

    package func execute(in context: OperationContext) async throws {
        try await context.clock.sleep(for: .seconds(1_000_000))
    }
}

/// Returns a value.
package struct Giving<Value: Sendable>: AOperation {
    package var name = "giving"
    package let value: Value
    package init(_ value: Value, name: String = "giving") {
        self.value = value
        self.name = name
    }
    package func execute(in context: OperationContext) async throws -> Value { value }
}

/// A latch that opens once, for all waiters.
package final class Latch: Sendable {
    private struct State {
        var isOpen = false
        var waiters: [CheckedContinuation<Void, Never>] = []
    }
    private let state = Mutex(State())

    package init() {}

    package var isOpen: Bool { state.withLock { $0.isOpen } }

    package func open() {
        let waiters = state.withLock { state in
            state.isOpen = true
            defer { state.waiters = [] }
            return state.waiters
        }
        for waiter in waiters { waiter.resume() }
    }

    package func wait() async {
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
package final class Record<Element: Sendable>: Sendable {
    private let elements = Mutex<[Element]>([])

    package init() {}

    package func append(_ element: Element) { elements.withLock { $0.append(element) } }
    package var all: [Element] { elements.withLock { $0 } }
}

/// Counts the operations inside at the same time.
package final class Gauge: Sendable {
    private let counts = Mutex((now: 0, most: 0))

    package init() {}

    package func enter() {
        counts.withLock {
            $0.now += 1
            $0.most = max($0.most, $0.now)
        }
    }
    package func leave() { counts.withLock { $0.now -= 1 } }

    /// Enters, stays until `count` were inside at once, and then long enough for one too many to enter.
    package func visit(with count: Int) async {
        enter()
        var patience = 1_000_000
        while most < count, patience > 0 {
            await Task.yield()
            patience -= 1
        }
        for _ in 0..<10 { await Task.yield() }
        leave()
    }

    package var most: Int { counts.withLock { $0.most } }
}
