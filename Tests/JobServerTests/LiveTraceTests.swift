import FaultyHTTP
import Foundation
import StrictJSON
import Testing

/// Spans of submissions, jobs, operations and attempts, decoded with the schema of OpenTelemetry.
@Suite(.serialized, .enabled(if: TraceCollector.isThere)) struct `A live server that traces` {
    private static let trace = "0af7651916cd43dd8448eb211c80319c"
    private static let parent = "traceparent: 00-\(trace)-b7ad6b7169203331-01"

    private func server(
        _ collector: TraceCollector, _ flags: [String] = [], directory: URL? = nil,
        _ environment: [String: String] = [:]
    ) throws -> LiveProgram {
        try LiveProgram(
            flags, directory: directory,
            environment: collector.environment.merging(environment) { _, second in second })
    }

    private func call(_ url: String) -> String {
        #"{"type": "network", "name": "fetch", "request": {"url": "\#(url)"}, "retry": {"backoff": "10ms"}}"#
    }

    @Test func `joins the trace of the caller, from the submission to each attempt`() throws {
        let collector = try TraceCollector()
        let origin = Origin(Array("fine".utf8), [.status("503 Service Unavailable")])
        defer { origin.stop() }
        let server = try server(
            collector, [],
            [
                "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf", "OTEL_SERVICE_NAME": "orders",
                "OTEL_RESOURCE_ATTRIBUTES": "deployment.environment.name=test%20one,service.name=other",
                "OTEL_EXPORTER_OTLP_HEADERS": "x-key=a%3Db", "OTEL_EXPORTER_OTLP_COMPRESSION": "gzip",
            ])
        let job = try server.submit(
            call(origin.url + "?token=hidden&page=2"), headers: [Self.parent, "tracestate: a=1,b=2"])
        let spans = try collector.trace(of: job)
        #expect(spans.count == 4)
        #expect(spans.allSatisfy { $0.trace == Self.trace && $0.text("state") == "a=1,b=2" })
        #expect(spans.allSatisfy { $0.json.object?["resource"]?.object?["service.name"] == "orders" })
        let resource = spans.first?.json.object?["resource"]?.object
        #expect(resource?["deployment.environment.name"] == "test one")
        #expect(resource?["telemetry.sdk.language"] == "swift")
        let submission = try #require(spans.first { $0.kind == "SERVER" })
        #expect(submission.parent == "b7ad6b7169203331")
        #expect(submission.json.object?["flags"]?.number?.int64 == 0x301)
        #expect(submission.name == "POST /v1/jobs")
        #expect(submission.attribute("http.route") == "/v1/jobs")
        #expect(submission.attribute("http.response.status_code")?.number?.int64 == 202)
        #expect(submission.attribute("jobserver.job.id")?.string == job)
        #expect(submission.attribute("client.address") == "127.0.0.1")
        let whole = try #require(spans.first { $0.kind == "CONSUMER" })
        #expect(whole.parent == submission.id)
        #expect(whole.name == "process default")
        #expect(whole.attribute("messaging.destination.name") == "default")
        #expect(whole.attribute("jobserver.state") == "succeeded")
        #expect(whole.status == "UNSET")
        let calls = spans.filter { $0.kind == "CLIENT" }
        #expect(calls.allSatisfy { $0.parent == whole.id && $0.name == "GET" })
        #expect(
            calls.allSatisfy {
                $0.attribute("url.full")?.string == origin.url + "?token=REDACTED&page=REDACTED"
            })
        #expect(calls.map { $0.attribute("http.response.status_code")?.number?.int64 } == [503, 200])
        #expect(calls.map(\.status) == ["ERROR", "UNSET"])
        #expect(calls.first?.attribute("error.type") == "503")
        #expect(calls.last?.attribute("http.request.resend_count")?.number?.int64 == 1)
        #expect(calls.last?.attribute("server.address") == "127.0.0.1")
        #expect(calls.last?.attribute("network.protocol.version") == "1.1")
        #expect(origin.field("traceparent") == calls.map { "00-\(Self.trace)-\($0.id)-01" })
        #expect(origin.field("tracestate") == ["a=1,b=2", "a=1,b=2"])
        let request = try #require(try collector.requests().first)
        #expect(request["path"] == "/v1/traces" && request["x-key"] == "a=b")
        #expect(request["content-type"] == "application/json")
    }

    @Test func `shows operations below the job, errors and waits`() throws {
        let collector = try TraceCollector()
        let server = try server(collector)
        let job = try server.submit(
            #"""
            {"type": "group", "name": "all", "queue": "mail", "operations": [
              {"type": "group", "name": "inner", "operations": [{"type": "value", "name": "deep", "value": 1}]},
              {"type": "delay", "name": "rest", "for": "50ms"},
              {"type": "network", "name": "lost", "after": ["rest"], "retry": {"max_attempts": 1},
               "request": {"url": "http://127.0.0.1:\#(FaultServer.refusingPort())/"}},
              {"type": "value", "name": "never", "after": ["lost"], "value": 1}]}
            """#)
        let spans = try collector.trace(of: job)
        func span(_ name: String) throws -> TraceCollector.Span {
            try #require(spans.first { $0.name == name })
        }
        let whole = try span("process mail")
        #expect(whole.attribute("jobserver.state") == "failed")
        #expect(whole.status == "ERROR" && whole.attribute("error.type") == "connect.refused")
        #expect(try span("inner").parent == whole.id && span("inner").kind == "INTERNAL")
        #expect(try span("deep").parent == span("inner").id)
        #expect(try span("deep").attribute("jobserver.operation") == "inner/deep")
        let call = try #require(spans.first { $0.kind == "CLIENT" })
        #expect(try call.parent == span("lost").id)
        #expect(call.status == "ERROR" && call.attribute("error.type") == "connect.refused")
        #expect(call.attribute("http.response.status_code") == nil)
        let wait = try span("rest").json.object?["events"]?.array?.first?.object
        #expect(wait?["attributes"]?.object?["jobserver.wait.kind"] == "time")
        #expect(Set(spans.map(\.trace)).count == 1)
        #expect(Set(spans.map(\.id)).count == spans.count)
        let known = Set(spans.map(\.id))
        #expect(spans.allSatisfy { $0.parent.isEmpty == ($0.kind == "SERVER") || known.contains($0.parent) })
    }

    @Test func `keeps the trace over a crash, and links a retry to its submission`() throws {
        let collector = try TraceCollector()
        let home = LiveServer.temporaryDirectory()
        defer { try? FileManager.default.removeItem(at: home) }
        let origin = Origin(Array("fine".utf8), [.status("500 No"), .status("404 No")])
        defer { origin.stop() }
        let first = try server(collector, directory: home)
        let job = try first.submit(
            #"{"type": "network", "request": {"url": "\#(origin.url)"}, "retry": {"backoff": "5s", "jitter": "none"}}"#,
            headers: [Self.parent])
        let latest = Date(timeIntervalSinceNow: 20)
        while try first.get("/v1/jobs/\(job)").at("/state") != "retrying", Date() < latest { usleep(10_000) }
        #expect(origin.requests.count == 1)
        // Spans that were not sent yet are lost with the process.
        _ = try collector.spans { spans in spans.contains { $0.kind == "SERVER" } }
        _ = first.stop(SIGKILL)
        let second = try server(collector, directory: home)
        let failed = try collector.trace(of: job)
        let whole = try #require(failed.first { $0.kind == "CONSUMER" })
        #expect(whole.trace == Self.trace)
        let sent = origin.field("traceparent").compactMap(\.self)
        #expect(sent.count == 2 && sent.allSatisfy { $0.contains(Self.trace) })
        #expect(failed.contains { $0.kind == "CLIENT" && $0.parent == whole.id && sent[1].contains($0.id) })
        let submission = try #require(failed.first { $0.kind == "SERVER" })
        #expect(whole.parent == submission.id)
        #expect(try second.post("/v1/jobs/\(job):retry").status == 202)
        let all = try collector.spans { all in all.count { $0.kind == "CONSUMER" } == 2 }
        let retried = try #require(all.last { $0.kind == "CONSUMER" })
        #expect(retried.trace != Self.trace && retried.parent.isEmpty)
        #expect(retried.link?.trace == Self.trace && retried.link?.span == submission.id)
        #expect(retried.attribute("jobserver.state") == "succeeded")
    }

    @Test func `sends a call the context that its spec names, and each job of a batch a span of its own`()
        throws
    {
        let collector = try TraceCollector()
        let origin = Origin(Array("fine".utf8))
        defer { origin.stop() }
        let server = try server(collector, ["--trace-relation", "link"])
        let own = "00-11111111111111111111111111111111-2222222222222222-00"
        let job = try server.submit(
            #"{"type": "network", "request": {"url": "\#(origin.url)", "headers": {"Traceparent": "\#(own)"}}}"#
        )
        let spans = try collector.trace(of: job)
        #expect(origin.field("traceparent") == [own])
        #expect(origin.field("tracestate") == [nil])
        let whole = try #require(spans.first { $0.kind == "CONSUMER" })
        let submission = try #require(spans.first { $0.kind == "SERVER" })
        #expect(whole.trace != submission.trace && whole.link?.span == submission.id)
        let batch = try server.post(
            "/v1/jobs:batch", #"[{"type": "value", "value": 1}, {"type": "value", "value": 2}]"#)
        #expect(batch.status == 200)
        let all = try collector.spans { all in all.count { $0.kind == "CONSUMER" } == 3 }
        let request = try #require(all.first { $0.name == "POST /v1/jobs:batch" })
        #expect(request.attribute("jobserver.job.count")?.number?.int64 == 2)
        let made = all.filter { $0.link?.span == request.id }
        #expect(made.count == 2 && made[0].trace != made[1].trace)
    }

    @Test func `leaves out what is not sampled, and tells upstreams so`() throws {
        let collector = try TraceCollector()
        let origin = Origin(Array("fine".utf8))
        defer { origin.stop() }
        let server = try server(collector)
        let quiet = try server.submit(call(origin.url), headers: [Self.parent.replacing("-01", with: "-00")])
        #expect(try server.rest(quiet).at("/state") == "succeeded")
        let loud = try server.submit(call(origin.url), headers: ["traceparent: nonsense"])
        let spans = try collector.trace(of: loud)
        #expect(!spans.contains { $0.trace == Self.trace })
        #expect(origin.field("traceparent").first??.hasSuffix("-00") == true)
        #expect(origin.field("traceparent").last??.hasSuffix("-01") == true)
        #expect(spans.first { $0.kind == "SERVER" }?.parent == "")
    }

    @Test func `runs jobs whatever the collector does, and counts what is lost`() throws {
        let collector = try TraceCollector()
        let server = try server(
            collector, [],
            [
                "OTEL_BSP_MAX_QUEUE_SIZE": "8", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE": "4",
                "OTEL_EXPORTER_OTLP_TIMEOUT": "300",
            ])
        func count(_ name: String) throws -> Int {
            let page = try String(decoding: server.get("/metrics").body, as: UTF8.self)
            let line = page.split(separator: "\n").first { $0.hasPrefix(name + " ") }
            return line?.split(separator: " ").last.flatMap { Int($0) } ?? -1
        }
        func rises(_ name: String, above least: Int = 0) throws -> Bool {
            let latest = Date(timeIntervalSinceNow: 10)
            while try count(name) <= least, Date() < latest { usleep(20_000) }
            return try count(name) > least
        }
        func run(_ count: Int) throws {
            for _ in 0..<count {
                let job = try server.submit(#"{"type": "value", "value": 1}"#)
                #expect(try server.rest(job).at("/state") == "succeeded")
            }
        }
        // All at once, so that their spans come faster than a collector that hangs takes them.
        let specs = repeatElement(#"{"type": "value", "value": 1}"#, count: 60).joined(separator: ",")
        for mode in ["hang", "busy", "refuse"] {
            try collector.answer(mode)
            #expect(try server.post("/v1/jobs:batch", "[\(specs)]").at("/accepted") == 60)
            try run(1)
        }
        for reason in ["queue_full", "failed", "refused"] {
            #expect(try rises(#"jobserver_trace_spans_dropped_total{reason="\#(reason)"}"#), "\(reason)")
        }
        #expect(server.log.contains("traces_failing"))
        try collector.answer("partial")
        try run(1)
        try collector.answer("take")
        let exported = try count("jobserver_trace_spans_exported_total")
        try run(1)
        #expect(try rises("jobserver_trace_spans_exported_total", above: exported))
        #expect(server.stop() == 0)
    }

    @Test func `sends the last spans when it stops, and stops in time when the collector hangs`() throws {
        let collector = try TraceCollector()
        let slow = ["OTEL_BSP_SCHEDULE_DELAY": "3600000"]
        let first = try server(collector, [], slow)
        let job = try first.submit(#"{"type": "value", "value": 1}"#)
        #expect(try first.rest(job).at("/state") == "succeeded")
        #expect(try collector.spans().isEmpty)
        #expect(first.stop() == 0)
        #expect(try collector.spans().count == 2)
        try collector.answer("hang")
        let second = try server(collector, [], slow)
        _ = try second.rest(second.submit(#"{"type": "value", "value": 1}"#))
        let began = ContinuousClock.now
        #expect(second.stop() == 0)
        #expect(began.duration(to: .now) < .seconds(20))
    }

    @Test func `says why there are no traces, and goes on without`() throws {
        let server = try LiveProgram(environment: [
            "OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4317", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc",
        ])
        #expect(server.log.contains("OTEL_EXPORTER_OTLP_PROTOCOL is ignored (grpc)"))
        let job = try server.submit(#"{"type": "value", "value": 1}"#, headers: [Self.parent])
        #expect(try server.rest(job).at("/state") == "succeeded")
        let page = try String(decoding: server.get("/metrics").body, as: UTF8.self)
        #expect(!page.contains("jobserver_trace_"))
    }
}
