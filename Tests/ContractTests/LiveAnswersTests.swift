import Foundation
import Testing

extension `The built server` {
    @Suite struct `A live server` {
        /// A short run; `make api` is the long one.
        @Test(.timeLimit(.minutes(3)))
        func `answers only according to the description`() async throws {
            let script = Shell.root.appending(path: "Tests/Live/schemathesis")
            let outcome = try await Shell.run(script, ["", "20"])
            #expect(outcome.status == 0, "\(outcome.output)")
        }
    }
}
