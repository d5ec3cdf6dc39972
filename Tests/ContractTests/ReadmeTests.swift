import Foundation
import Testing

extension `The built server` {
    @Suite struct `The README` {
        @Test(.timeLimit(.minutes(1))) func `has curl lines that work`() async throws {
            let outcome = try await Shell.run(Shell.root.appending(path: "Tests/Live/readme"))
            #expect(outcome.status == 0, "\(outcome.output)")
        }
    }
}
