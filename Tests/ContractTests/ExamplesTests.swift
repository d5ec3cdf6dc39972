import Foundation
import Testing

extension `The built server` {
    /// The examples start the real server and a real HTTP service, and check their own outcome.
    @Suite(.serialized) struct `The examples` {
        private static let scripts: [String] = {
            let folder = Shell.root.appending(path: "Examples")
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
            return names.filter { $0.hasSuffix(".sh") && $0 != "prelude.sh" }.sorted()
        }()

        @Test func `are all there`() {
            #expect(Self.scripts.count >= 8)
        }

        @Test(.timeLimit(.minutes(2)), arguments: scripts)
        func `run with the expected results`(script: String) async throws {
            let outcome = try await Shell.run(Shell.root.appending(path: "Examples/\(script)"))
            #expect(outcome.status == 0, "\(script):\n\(outcome.output)")
            #expect(outcome.output.contains("\nok: "), "\(script) checks nothing:\n\(outcome.output)")
            #expect(!outcome.output.contains("FAILED"))
        }
    }
}
