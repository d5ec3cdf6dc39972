import DurableJobs
import Foundation
import JobKit
import JobSpec

/// An engine on a directory of its own, which can be started again.
final class EngineScene {
    let directory: String
    let counter = Counter()

    init() {
        directory = NSTemporaryDirectory() + "durable-\(UUID().uuidString)"
    }

    deinit { try? FileManager.default.removeItem(atPath: directory) }

    /// Starts an engine with the kinds of this scene.
    func start(
        without names: Set<String> = [], drainTimeout: Duration = .seconds(10)
    ) async throws -> JobEngine {
        var options = JobEngine.Options()
        options.survivesPowerFailure = false
        options.drainTimeout = drainTimeout
        let kinds = [greet.kind, count.kind, block.kind, fail.kind, quiet.kind, once.kind]
        return try await JobEngine.start(
            at: directory, kinds: kinds.filter { !names.contains($0.name) }, options: options)
    }

    struct Person: Codable, Hashable {
        var name: String
        var born: Date?
        var friends: [String] = []
    }

    struct Greeting: Codable, Hashable {
        var text: String
        var person: Person
    }

    /// Returns its parameters.
    var greet: DurableKind<Person, Greeting> {
        DurableKind("greet") { person, _ in Greeting(text: "Hello, \(person.name)!", person: person) }
    }

    /// Counts in an actor, and waits before it ends.
    var count: DurableKind<Int, Int> {
        DurableKind("count") { [counter] milliseconds, _ in
            let number = await counter.next()
            try await Task.sleep(for: .milliseconds(milliseconds))
            return number
        }
    }

    /// Runs until it is cancelled.
    var block: DurableKind<String, NoResult> {
        .withoutResult("block") { [counter] (_: String, _) in
            await counter.next()
            try await Task.sleep(for: .seconds(60))
        }
    }

    struct Refused: Error, CustomStringConvertible {
        var description: String { "It is refused." }
    }

    /// Fails until its attempt with this number.
    var fail: DurableKind<Int, Int> {
        DurableKind("fail") { attempts, context in
            if context.attempt < attempts { throw Refused() }
            return context.attempt
        }
    }

    var quiet: DurableKind<Bool, NoResult> { .withoutResult("quiet") { (_: Bool, _) in } }

    /// Is not repeated after a crash.
    var once: DurableKind<Bool, NoResult> {
        .withoutResult("once", repeatsAfterCrash: false) { (_: Bool, _) in
            try await Task.sleep(for: .seconds(60))
        }
    }
}

actor Counter {
    private(set) var value = 0

    @discardableResult
    func next() -> Int {
        value += 1
        return value
    }
}

/// Returns when the condition holds; false when it does not within 20 seconds.
func holds(_ condition: () async throws -> Bool) async throws -> Bool {
    for _ in 0..<2_000 {
        if try await condition() { return true }
        try await Task.sleep(for: .milliseconds(10))
    }
    return false
}
