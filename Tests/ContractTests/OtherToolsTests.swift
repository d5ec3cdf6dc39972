import Foundation
import Testing

extension `The built server` {
    /// Third-party tools read the server's description and answers.
    @Suite struct `The tools of other people` {
        /// `.ci/install clients` installs them.
        static let hasGenerators =
            FileManager.default.isExecutableFile(
                atPath: Shell.root.appending(path: ".build/venv-clients/bin/openapi-python-client").path)
            && Shell.finds("java")

        @Test(.timeLimit(.minutes(3)), .enabled(if: hasGenerators, "needs the generators and Java"))
        func `make clients that submit every type of job and read its result and error`() async throws {
            let outcome = try await Shell.run(Shell.root.appending(path: "Tests/Clients/run"))
            #expect(outcome.status == 0, "\(outcome.output)")
            let lines = outcome.output.split(separator: "\n")
            for type in try await APIDescription.load().types("JobSpec") {
                #expect(lines.filter { $0 == "ok: \(type)" }.count >= 2, "\(type)")
            }
        }

        @Test(.timeLimit(.minutes(1)), .enabled(if: Shell.finds("nginx"), "needs nginx"))
        func `pass on events as they happen`() async throws {
            let outcome = try await Shell.run(Shell.root.appending(path: "Tests/Live/streams"))
            #expect(outcome.status == 0, "\(outcome.output)")
        }

        @Test(.timeLimit(.minutes(1)), .enabled(if: Shell.finds("nginx"), "needs nginx"))
        func `serve below a prefix, with TLS, and tell the client`() async throws {
            let outcome = try await Shell.run(Shell.root.appending(path: "Tests/Live/proxy"))
            #expect(outcome.status == 0, "\(outcome.output)")
        }

        @Test(.timeLimit(.minutes(1)), .enabled(if: Shell.finds("promtool"), "needs promtool"))
        func `find nothing wrong with the metrics`() async throws {
            let outcome = try await Shell.run(Shell.root.appending(path: "Tests/Live/metrics"))
            #expect(outcome.status == 0, "\(outcome.output)")
        }

        @Test(
            .timeLimit(.minutes(2)),
            .enabled(if: Shell.finds("promtool") && Shell.finds("prometheus"), "needs Prometheus"))
        func `scrape the server and evaluate the alerts and the queries of the dashboard`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Live/monitoring"), ["prometheus"])
            #expect(outcome.status == 0, "\(outcome.output)")
        }

        @Test(.timeLimit(.minutes(1)))
        func `are told of no metric that does not exist, and of each that does`() async throws {
            let outcome = try await Shell.run(
                Shell.root.appending(path: "Tests/Live/monitoring"), ["names"])
            #expect(outcome.status == 0, "\(outcome.output)")
        }
    }
}
