import Foundation
import Testing

extension `The built server` {
    @Suite(.enabled(if: FileManager.default.fileExists(atPath: "/usr/lib/postgresql")))
    struct `A copied store` {
        @Test(.timeLimit(.minutes(3))) func `answers as the one before, and its jobs end`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Scale/copies"), environment: ["JOBS": "500", "KILLS": "1"])
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains("\n0 differences"), "\(outcome.output)")
        }
    }
}
