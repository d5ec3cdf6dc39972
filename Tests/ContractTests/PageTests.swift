import Foundation
import Testing

/// The modules of the page that need no browser.
@Suite struct `The modules of the page` {
    @Test(.timeLimit(.minutes(1)), .enabled(if: Shell.finds("node"), "needs node"))
    func `pass their tests`() async throws {
        let node = URL(filePath: "/usr/bin/env")
        let outcome = try await Shell.run(node, ["node", "--test", "Tests/Page/unit"])
        #expect(outcome.status == 0, "\(outcome.output)")
    }
}

extension `The built server` {
    /// The page as people use it, in Chromium.
    @Suite struct `The page in a browser` {
        /// `.ci/install page` brings what is needed.
        static let hasBrowser =
            Shell.finds("chromium") && Shell.finds("chromedriver")
            && FileManager.default.isExecutableFile(
                atPath: Shell.root.appending(path: ".build/venv-page/bin/python").path)

        @Test(.timeLimit(.minutes(10)), .enabled(if: hasBrowser, "needs Chromium and selenium"))
        func `shows and changes jobs, safely`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Page/run"), environment: ["JOBSERVER": Shell.server.path])
            // The names first: reports cut long messages short.
            let failed = outcome.output.split(separator: "\n").filter {
                $0.hasPrefix("FAIL: ") || $0.hasPrefix("ERROR: ")
            }
            #expect(outcome.status == 0, "\(failed.joined(separator: "\n"))\n\(outcome.output)")
        }
    }
}
