import Foundation
import Testing

extension `The built server` {
    @Suite(.serialized) struct `The documents` {
        @Test(.timeLimit(.minutes(3)), arguments: ["Tutorial", "Recipes"])
        func `have files and commands that work`(page: String) async throws {
            let program = Shell.root.appending(path: "Tests/Live/documents")
            let outcome = try await Shell.run(program, ["Docs/\(page).md"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.hasPrefix("ok: "), "\(outcome.output)")
        }
    }
}
