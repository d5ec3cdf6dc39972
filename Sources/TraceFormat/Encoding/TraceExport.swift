/// A request to a collector: spans of one resource.
package struct TraceExport: Sendable {
    /// The facts about the program that made the spans.
    package var resource: [TraceAttribute]
    /// The version of the program, which is also that of its instrumentation.
    package var version: String
    package var spans: [TraceSpan]

    package init(resource: [TraceAttribute], version: String, spans: [TraceSpan]) {
        self.resource = resource
        self.version = version
        self.spans = spans
    }

    /// The name of the instrumentation.
    static let scope = "jobserver"

    /// The number of spans that a collector refused although it took the request, and its reason.
    package struct Refusal: Sendable, Hashable {
        package var spans: Int
        package var reason: String
    }
}

extension TraceSpan {
    /// The flags of the protocol: the sampled bit, that of a known origin of the parent, and that origin.
    var flags: UInt32 {
        let parentFlags: UInt32 = parent == nil ? 0 : hasRemoteParent ? 0x300 : 0x100
        return (context.isSampled ? 1 : 0) | parentFlags
    }
}
