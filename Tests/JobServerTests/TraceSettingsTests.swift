import Testing
import TraceFormat

@testable import JobServer

@Suite struct `The variables of OpenTelemetry` {
    private static let endpoint = ["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318"]

    private func read(_ variables: [String: String]) -> (settings: TraceSettings?, warnings: [String]) {
        TraceSettings.read(Self.endpoint.merging(variables) { _, second in second })
    }

    @Test func `turn traces on with an endpoint, and off in each of the standard ways`() {
        #expect(TraceSettings.read([:]).settings == nil)
        #expect(read([:]).settings?.endpoint == "http://collector:4318/v1/traces")
        let off = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", ""), ("OTEL_SDK_DISABLED", "TRUE"),
            ("OTEL_TRACES_EXPORTER", "none"),
        ]
        for (name, value) in off {
            #expect(read([name: value]).settings == nil)
            #expect(read([name: value]).warnings.isEmpty)
        }
        #expect(read(["OTEL_SDK_DISABLED": "no"]).settings != nil)
        #expect(read(["OTEL_TRACES_EXPORTER": "console,otlp"]).settings != nil)
    }

    @Test func `name a protocol, of which there is JSON over HTTP alone`() {
        let asked = ["http/json", "http/protobuf", "grpc"].map { read(["OTEL_EXPORTER_OTLP_PROTOCOL": $0]) }
        #expect(asked.map { $0.settings == nil } == [false, false, true])
        #expect(asked[1].settings == read([:]).settings)
        #expect(asked.map(\.warnings.count) == [0, 1, 1])
        #expect(asked[1].warnings.first?.contains("sent as JSON") == true)
        #expect(asked[2].warnings.first?.contains("traces are off") == true)
    }

    @Test func `name the address of traces as it is, and prefer what is for traces`() {
        let settings = read([
            "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "https://t.example/in?k=v",
            "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL": "http/json",
            "OTEL_EXPORTER_OTLP_TIMEOUT": "1", "OTEL_EXPORTER_OTLP_TRACES_TIMEOUT": "1500",
            "OTEL_EXPORTER_OTLP_HEADERS": "a=1", "OTEL_EXPORTER_OTLP_TRACES_HEADERS": "b = c%20d , e=f=g",
            "OTEL_BSP_MAX_QUEUE_SIZE": "10", "OTEL_BSP_SCHEDULE_DELAY": "7",
            "OTEL_TRACES_SAMPLER": "traceidratio", "OTEL_TRACES_SAMPLER_ARG": "0.5",
        ])
        #expect(settings.warnings.isEmpty)
        #expect(settings.settings?.endpoint == "https://t.example/in?k=v")
        #expect(settings.settings?.timeout == .milliseconds(1_500))
        #expect(
            settings.settings?.fields == [.init(name: "b", value: "c d"), .init(name: "e", value: "f=g")])
        #expect(settings.settings?.queueMax == 10)
        #expect(settings.settings?.batchMax == 10)
        #expect(settings.settings?.delay == .milliseconds(7))
        #expect(settings.settings?.sampler == TraceSampler(root: .share(0.5), followsParent: false))
        let slash = read(["OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318/otlp/"])
        #expect(slash.settings?.endpoint == "http://collector:4318/otlp/v1/traces")
    }

    @Test(arguments: [
        ("OTEL_EXPORTER_OTLP_TIMEOUT", "soon"), ("OTEL_BSP_MAX_QUEUE_SIZE", "0"),
        ("OTEL_BSP_SCHEDULE_DELAY", "-1"), ("OTEL_TRACES_SAMPLER", "xray"),
        ("OTEL_EXPORTER_OTLP_COMPRESSION", "zstd"), ("OTEL_RESOURCE_ATTRIBUTES", "a"),
        ("OTEL_EXPORTER_OTLP_CERTIFICATE", "/none/such"),
    ])
    func `are ignored with a warning where they make no sense`(_ name: String, _ value: String) {
        let read = read([name: value])
        #expect(read.settings == TraceSettings.read(Self.endpoint).settings)
        #expect(read.warnings.count == 1)
        #expect(read.warnings.first?.hasPrefix("\(name) is ignored (\(value)): ") == true)
    }

    @Test func `turn traces off with a warning rather than send them where they cannot arrive`() {
        for (name, value) in [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318"), ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc"),
            ("OTEL_TRACES_EXPORTER", "zipkin"),
        ] {
            let read = read([name: value])
            #expect(read.settings == nil)
            #expect(read.warnings.count == 1)
        }
        let secret = read(["OTEL_EXPORTER_OTLP_ENDPOINT": "http://user:password@collector"])
        #expect(secret.settings == nil && !secret.warnings.joined().contains("password"))
        let header = read(["OTEL_EXPORTER_OTLP_HEADERS": "api-key"])
        #expect(!header.warnings.joined().contains("api-key") && header.settings?.fields == [])
    }
}
