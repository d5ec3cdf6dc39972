import EventIO
import Synchronization

/// Runs `body` with a running loop and stops it afterwards.
func withLoop<Result>(_ body: (EventLoop) async throws -> Result) async throws -> Result {
    let loop = try EventLoop(name: "test")
    loop.start()
    do {
        let result = try await body(loop)
        loop.stop()
        return result
    } catch {
        loop.stop()
        throw error
    }
}

/// A list that several threads may add to.
final class Log<Element: Sendable>: Sendable {
    private let entries = Mutex<[Element]>([])

    /// The elements added so far.
    var all: [Element] { entries.withLock { $0 } }

    func add(_ entry: Element) {
        entries.withLock { $0.append(entry) }
    }
}

/// Waits until `condition` holds, at most five seconds. False when it never did.
func eventually(_ condition: () -> Bool) async -> Bool {
    let end = ContinuousClock.now + .seconds(5)
    while !condition() {
        if ContinuousClock.now > end { return false }
        try? await Task.sleep(for: .milliseconds(1))
    }
    return true
}
