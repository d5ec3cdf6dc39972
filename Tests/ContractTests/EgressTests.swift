import Foundation
import Testing

extension `The built server` {
    @Suite struct `A server that was asked for forbidden addresses` {
        /// Whether this machine allows a network namespace for a test.
        static let hasOwnNetwork: Bool = {
            let probe = Process()
            probe.executableURL = URL(filePath: "/bin/sh")
            probe.arguments = ["-c", "[ $(id -u) = 0 ] || r=r; unshare -${r}nm ip link set lo up"]
            probe.standardError = FileHandle.nullDevice
            guard (try? probe.run()) != nil else { return false }
            probe.waitUntilExit()
            return probe.terminationStatus == 0
        }()

        @Test(.timeLimit(.minutes(4)), .enabled(if: hasOwnNetwork, "needs `unshare` and `ip`"))
        func `calls none of them, however they are written or pointed to`() async throws {
            let outcome = try await Shell.run(Shell.root.appending(path: "Tests/Egress/run"))
            #expect(outcome.status == 0, "\(outcome.output)")
            #expect(outcome.output.contains(", 0 forbidden connections, "))
        }
    }
}
