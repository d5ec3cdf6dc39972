import Commands
import FoundationEssentials
import HTTPMessage
import JobKit
import TraceFormat

/// The settings of traces: the standard variables of OpenTelemetry, which a team sets for all its programs alike.
///
/// As the standard demands, a value that makes no sense is ignored with a warning, and an empty one counts as not set.
/// There are no traces without an endpoint.
struct TraceSettings: Sendable, Hashable {
    /// The address of the collector for traces.
    var endpoint: String
    var isCompressed = false
    /// Fields that each request carries, such as an API key. Never shown.
    var fields: [Field] = []
    /// The time of one export with its repetitions.
    var timeout = Duration.seconds(10)
    /// Certificate authorities to trust instead of the system's, and the certificate to show with its key: PEM.
    var authorities: [UInt8]?
    var certificate: [UInt8]?
    var key: [UInt8]?
    var sampler = TraceSampler.standard
    /// The maximum number of spans that wait; further ones are dropped.
    var queueMax = 2_048
    /// The maximum number of spans of one request.
    var batchMax = 512
    /// The longest time that a span waits for others.
    var delay = Duration.seconds(5)
    /// The facts about this program in `OTEL_RESOURCE_ATTRIBUTES` and `OTEL_SERVICE_NAME`.
    var resource: [Field] = []

    struct Field: Sendable, Hashable {
        var name: String
        var value: String
    }

    /// Reads the variables.
    /// - Returns: nil when there are no traces, and in any case the warnings about values that are ignored.
    static func read(_ environment: [String: String]) -> (settings: TraceSettings?, warnings: [String]) {
        var reader = TraceVariables(environment)
        let settings = reader.settings()
        return (settings, reader.warnings)
    }
}
