import Foundation
import HTTPMessage
import Testing

@testable import CurlHTTP
@testable import JobKit

/// The outcome of a fault, as a row of the table.
private struct FaultRow: Sendable {
    let name: String
    let outcome: Result<HTTPCallAnswer, HTTPCallFailure>
    let took: Duration

    /// The error of a job, as jobs create it; nil when the answer counts.
    var error: AOperationError? {
        switch outcome {
        case .failure(let failure): AOperationError(callFailure: failure)
        case .success(let answer) where answer.status >= 400:
            AOperationError(
                .httpStatus, title: "Upstream answered \(answer.status)", detail: "It did.", answer: answer)
        case .success: nil
        }
    }

    var text: String {
        guard let error else { return "| \(name) | none: it is an answer | | | | | at once |" }
        let cells = [
            name, "`\(error.code)`", error.phase.map { "`\($0)`" } ?? "",
            error.delivery.map { "`\($0)`" } ?? "",
            again("GET", error), again("POST", error), clock,
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    /// Whether a job retries after one attempt, by the default rules.
    private func again(_ name: String, _ error: AOperationError) -> String {
        guard let method = HTTPMethod(name) else { return "" }
        let spec = RetrySpec(attemptsMax: 5, backoff: .fixed(.seconds(1)), jitter: .none)
        let now = Timestamp(milliseconds: Int64(Date().timeIntervalSince1970 * 1000))
        let verdict = RetryDecision.decide(
            error: error, method: method, spec: spec,
            situation: RetrySituation(attempts: 1, startedAt: now, now: now), hasIdempotencyKey: false)
        switch verdict {
        case .retry(let wait):
            return wait > Duration.seconds(1) ? "yes, after \(wait.components.seconds) s" : "yes"
        case .stop(let why): return "no: `\(why)`"
        }
    }

    /// The timeout that ended it.
    var clock: String {
        guard case .failure(let failure) = outcome, failure.code.hasPrefix("timeout.") else {
            return "at once"
        }
        return "`\(failure.code.dropFirst(8))`"
    }
}

/// With `JOBSERVER_WRITE_FAULTS=1` in the environment the table is rewritten instead of compared.
@Suite struct `Every fault on the wire` {
    private static let clocks: [String: Duration] = [
        "`connect`": .milliseconds(2000), "`first_byte`": .milliseconds(2500), "`stall`": .milliseconds(2000),
        "`attempt`": .milliseconds(6000),
    ]
    private static let begin = "<!-- faults: written by the tests -->\n"
    private static let end = "<!-- end of faults -->\n"

    @Test func `has the outcome of the table in Docs/Errors.md`() async throws {
        let rows = try await outcomes()
        for row in rows {
            let limit = Self.clocks[row.clock] ?? .zero
            #expect(row.took >= limit - .milliseconds(20), "\(row.name) took \(row.took)")
        }
        let head = """
            | What happens | `code` | `phase` | `delivery` | GET again? | POST again? | Ended by |
            |---|---|---|---|---|---|---|

            """
        let table = Self.begin + head + rows.map { $0.text + "\n" }.joined() + Self.end
        let page = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Docs/Errors.md").standardized
        let text = try String(contentsOf: page, encoding: .utf8)
        let start = try #require(text.firstRange(of: Self.begin)).lowerBound
        let stop = try #require(text.firstRange(of: Self.end)).upperBound
        if ProcessInfo.processInfo.environment["JOBSERVER_WRITE_FAULTS"] != nil {
            try (text[..<start] + table + text[stop...]).write(to: page, atomically: true, encoding: .utf8)
            return
        }
        let written = text[start..<stop].split(separator: "\n")
        for (said, seen) in zip(written, table.split(separator: "\n")) { #expect(said == seen) }
        #expect(written.count == rows.count + 4)
    }

    private func outcomes() async throws -> [FaultRow] {
        let world = try FaultWorld()
        defer { world.stop() }
        var calls: [(String, HTTPCall)] = []
        for fault in WireFault.all {
            var call = HTTPCall(method: "POST", url: "", body: [1])
            call.connectTimeout = Self.clocks["`connect`"] ?? .zero
            call.firstByteTimeout = Self.clocks["`first_byte`"] ?? .zero
            call.stallTimeout = Self.clocks["`stall`"] ?? .zero
            call.attemptTimeout = Self.clocks["`attempt`"] ?? .zero
            call.redirectsMax = 5
            try fault.arrange(world, &call)
            calls.append((fault.name, call))
        }
        let forbidden = IPAddress("127.0.0.99")
        return try await withClient(allows: { address, _ in address != forbidden }) { [calls] client in
            await withTaskGroup(of: (Int, FaultRow).self) { group in
                for (index, (name, call)) in calls.enumerated() {
                    group.addTask { (index, await Self.row(name, call, client)) }
                }
                var rows: [Int: FaultRow] = [:]
                for await (index, row) in group { rows[index] = row }
                return rows.sorted { $0.key < $1.key }.map(\.value)
            }
        }
    }

    private static func row(_ name: String, _ call: HTTPCall, _ client: CurlClient) async -> FaultRow {
        let began = ContinuousClock.now
        do throws(HTTPCallFailure) {
            let answer = try await client.send(call)
            return FaultRow(name: name, outcome: .success(answer), took: .now - began)
        } catch {
            return FaultRow(name: name, outcome: .failure(error), took: .now - began)
        }
    }
}
