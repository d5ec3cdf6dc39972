import Foundation
import StrictJSON
import Testing

/// The collector in `Tests/Traces`, which decodes spans with the schema of OpenTelemetry, until it is released.
final class TraceCollector {
    /// One span as the collector tells of it.
    struct Span {
        let json: JSONValue

        var trace: String { text("trace") }
        var id: String { text("span") }
        var parent: String { text("parent") }
        var name: String { text("name") }
        var kind: String { text("kind") }
        var status: String { text("status") }

        func text(_ name: String) -> String { json.object?[name]?.string ?? "" }
        func attribute(_ name: String) -> JSONValue? { json.object?["attributes"]?.object?[name] }
        /// Trace and span of its first link.
        var link: (trace: String, span: String)? {
            guard let link = json.object?["links"]?.array?.first?.object else { return nil }
            return (link["trace"]?.string ?? "", link["span"]?.string ?? "")
        }
    }

    /// Whether the schema is there: `.ci/install test` brings it.
    static let isThere: Bool = {
        let stamp = PythonServer.root.appending(path: ".build/venv/installed")
        return (try? String(contentsOf: stamp, encoding: .utf8))?.contains("opentelemetry-proto") == true
    }()

    private let server: PythonServer

    init() throws {
        server = try PythonServer(["-B", PythonServer.root.appending(path: "Tests/Traces/collector.py").path])
    }

    var url: String { server.url() }

    /// The variables that make a server send its spans here, at once.
    var environment: [String: String] {
        ["OTEL_EXPORTER_OTLP_ENDPOINT": url, "OTEL_BSP_SCHEDULE_DELAY": "50"]
    }

    /// Answers further exports in another way; see the program.
    func answer(_ mode: String) throws {
        _ = try LiveServer.run(URL(filePath: "/usr/bin/curl"), ["-s", "-X", "POST", "\(url)/mode/\(mode)"])
    }

    /// The fields of all requests.
    func requests() throws -> [JSONObject] { try list("requests").compactMap(\.object) }

    /// All spans so far.
    func spans() throws -> [Span] { try list("spans").map(Span.init) }

    /// Waits until there are spans for which `isDone` holds, at most ten seconds, and returns them all.
    func spans(until isDone: ([Span]) -> Bool) throws -> [Span] {
        let end = Date().addingTimeInterval(10)
        while true {
            let all = try spans()
            if isDone(all) || Date() > end { return all }
            usleep(20_000)
        }
    }

    /// Waits for the span of a job, which is the last one of it.
    func trace(of job: String) throws -> [Span] {
        try spans { all in
            all.contains { $0.kind == "CONSUMER" && $0.attribute("messaging.message.id")?.string == job }
        }
    }

    private func list(_ path: String) throws -> [JSONValue] {
        let text = try LiveServer.run(URL(filePath: "/usr/bin/curl"), ["-s", "\(url)/\(path)"]).output
        return try #require(JSONParser.parse(Array(text.utf8)).array)
    }
}
