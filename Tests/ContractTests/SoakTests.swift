import Foundation
import Testing

extension `The built server` {
    @Suite struct `A server under load` {
        @Test(.timeLimit(.minutes(2)))
        func `answers without errors and keeps nothing open`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Benchmarks/soak"),
                environment: ["TIME": "8", "CONNECTIONS": "32"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("ok: no faults, no descriptor left open, memory flat"))
        }
    }
}
