import FoundationEssentials
import HTTPMessage
import JobKit
import TraceFormat

/// Reads the variables of OpenTelemetry.
struct TraceVariables {
    private let environment: [String: String]
    private(set) var warnings: [String] = []

    init(_ environment: [String: String]) {
        self.environment = environment.filter { $0.key.hasPrefix("OTEL_") }
    }

    mutating func settings() -> TraceSettings? {
        guard text("OTEL_SDK_DISABLED")?.lowercased() != "true", exports, let endpoint = endpoint(), usesHTTP
        else { return nil }
        var settings = TraceSettings(endpoint: endpoint)
        switch exporter("COMPRESSION") {
        case nil, (_, "none")?: break
        case (_, "gzip")?: settings.isCompressed = true
        case (let name, let value)?: ignore(name, value, "expected gzip or none")
        }
        if let (name, value) = exporter("HEADERS") {
            settings.fields = pairs(name, value, isSecret: true) ?? []
        }
        settings.timeout = milliseconds(exporter("TIMEOUT")) ?? settings.timeout
        settings.authorities = file(exporter("CERTIFICATE"))
        settings.certificate = file(exporter("CLIENT_CERTIFICATE"))
        settings.key = file(exporter("CLIENT_KEY"))
        settings.sampler = sampler()
        settings.queueMax = number("OTEL_BSP_MAX_QUEUE_SIZE", 1...1_000_000) ?? settings.queueMax
        settings.batchMax = min(
            number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 1...1_000_000) ?? settings.batchMax, settings.queueMax)
        settings.delay = milliseconds(pair("OTEL_BSP_SCHEDULE_DELAY")) ?? settings.delay
        settings.resource = resource()
        return settings
    }

    // MARK: Each variable

    private var exports: Bool {
        mutating get {
            guard let names = text("OTEL_TRACES_EXPORTER") else { return true }
            let list = names.split(separator: ",").map { $0.filter { $0 != " " } }
            if list.contains("otlp") { return true }
            if list != ["none"] {
                ignore("OTEL_TRACES_EXPORTER", names, "there are otlp and none; traces are off")
            }
            return false
        }
    }

    private mutating func endpoint() -> String? {
        if let url = text("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") {
            return checked("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", url)
        }
        guard let base = text("OTEL_EXPORTER_OTLP_ENDPOINT") else { return nil }
        let slash = base.hasSuffix("/") ? "" : "/"
        return checked("OTEL_EXPORTER_OTLP_ENDPOINT", base)
            .map { _ in "\(base)\(slash)v1/traces" }
    }

    private mutating func checked(_ name: String, _ url: String) -> String? {
        do throws(URLPartsError) {
            _ = try URLParts(url)
            return url
        } catch {
            // Not the URL itself, in which there may be a password.
            warnings.append(
                "\(name) is not a URL such as http://127.0.0.1:4318, so traces are off (\(error.code.rawValue))"
            )
            return nil
        }
    }

    /// Whether the endpoint is one for OTLP over HTTP. A warning says that spans are JSON also where
    /// protobuf is asked for: collectors take both at one address, and a service without JSON refuses them.
    private var usesHTTP: Bool {
        mutating get {
            switch exporter("PROTOCOL") {
            case nil, (_, "http/json")?: return true
            case (let name, "http/protobuf")?:
                ignore(
                    name, "http/protobuf",
                    "spans are sent as JSON (http/json), which a collector takes at the same address")
                return true
            case (let name, let value)?:
                ignore(name, value, "expected http/json; traces are off, since grpc has a port of its own")
                return false
            }
        }
    }

    private mutating func sampler() -> TraceSampler {
        guard let name = text("OTEL_TRACES_SAMPLER") else { return .standard }
        let argument = text("OTEL_TRACES_SAMPLER_ARG")
        if let sampler = TraceSampler(name, argument: argument) { return sampler }
        ignore(
            "OTEL_TRACES_SAMPLER", argument.map { "\(name), \($0)" } ?? name,
            "expected always_on, always_off or traceidratio with an argument from 0 to 1, also after parentbased_"
        )
        return .standard
    }

    private mutating func resource() -> [TraceSettings.Field] {
        var fields =
            text("OTEL_RESOURCE_ATTRIBUTES")
            .flatMap { pairs("OTEL_RESOURCE_ATTRIBUTES", $0, isSecret: false) } ?? []
        if let name = text("OTEL_SERVICE_NAME") {
            fields.removeAll { $0.name == "service.name" }
            fields.append(.init(name: "service.name", value: name))
        }
        return fields
    }

    // MARK: Values

    private func text(_ name: String) -> String? {
        environment[name].flatMap { $0.isEmpty ? nil : $0 }
    }

    private func pair(_ name: String) -> (String, String)? { text(name).map { (name, $0) } }

    /// The variable for traces, or else that for all signals.
    private func exporter(_ name: String) -> (String, String)? {
        pair("OTEL_EXPORTER_OTLP_TRACES_\(name)") ?? pair("OTEL_EXPORTER_OTLP_\(name)")
    }

    private mutating func number(_ name: String, _ range: ClosedRange<Int>) -> Int? {
        guard let value = text(name) else { return nil }
        if let number = Int(value), range.contains(number) { return number }
        ignore(name, value, "expected a number from \(range.lowerBound) to \(range.upperBound)")
        return nil
    }

    private mutating func milliseconds(_ pair: (String, String)?) -> Duration? {
        guard let (name, value) = pair else { return nil }
        if let number = Int64(value), (1...3_600_000).contains(number) { return .milliseconds(number) }
        ignore(name, value, "expected milliseconds, 1 to 3600000")
        return nil
    }

    private mutating func file(_ pair: (String, String)?) -> [UInt8]? {
        guard let (name, path) = pair else { return nil }
        if let data = try? Data(contentsOf: URL(filePath: path)) { return Array(data) }
        ignore(name, path, "the file cannot be read")
        return nil
    }

    /// The pairs of a list as in W3C Baggage: `name=value,name=value`, values percent-encoded; nil when it is
    /// malformed.
    private mutating func pairs(_ name: String, _ list: String, isSecret: Bool) -> [TraceSettings.Field]? {
        var fields: [TraceSettings.Field] = []
        for part in list.split(separator: ",") {
            let words = part.split(separator: "=", maxSplits: 1).map { word in
                word.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()
            }
            guard words.count == 2, let value = PercentCoding.decode(String(words[1])) else {
                ignore(name, isSecret ? "its value" : list, "expected name=value,name=value")
                return nil
            }
            fields.append(.init(name: String(words[0]), value: value))
        }
        return fields
    }

    private mutating func ignore(_ name: String, _ value: String, _ expected: String) {
        warnings.append("\(name) is ignored (\(value)): \(expected).")
    }
}
