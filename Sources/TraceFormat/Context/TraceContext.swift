/// A span as others refer to it (W3C Trace Context): what a request carries in `traceparent` and `tracestate`.
package struct TraceContext: Sendable, Hashable {
    package var traceID: TraceID
    package var spanID: SpanID
    /// Whether the spans of the trace are recorded.
    package var isSampled: Bool
    /// The entries that tracing systems on the way have added, as one field value; empty without any.
    package var state: String

    package init(traceID: TraceID, spanID: SpanID, isSampled: Bool, state: String = "") {
        self.traceID = traceID
        self.spanID = spanID
        self.isSampled = isSampled
        self.state = state
    }

    /// The length of `traceparent` in version 00.
    private static let parentLength = 55

    /// The context in the fields of a request; nil when `traceparent` is malformed, as the standard demands.
    ///
    /// A later version may have more parts behind those of version 00. A malformed or too long `tracestate` is left
    /// out, alone.
    package init?(parent: String, state: String = "") {
        let bytes = Array(parent.utf8)
        guard bytes.count >= Self.parentLength, bytes[2] == 0x2D, bytes[35] == 0x2D, bytes[52] == 0x2D,
            let version = TraceHex.number(bytes[0..<2]), version != 0xFF,
            bytes.count == Self.parentLength || version > 0 && bytes[55] == 0x2D,
            let high = TraceHex.number(bytes[3..<19]), let low = TraceHex.number(bytes[19..<35]),
            let traceID = TraceID(high: high, low: low),
            let spanID = TraceHex.number(bytes[36..<52]).flatMap({ SpanID($0) }),
            let flags = TraceHex.number(bytes[53..<55])
        else { return nil }
        self.init(
            traceID: traceID, spanID: spanID, isSampled: flags & 1 == 1,
            state: TraceState.checked(state) ?? "")
    }

    /// The value of `traceparent`.
    package var parent: String { "00-\(traceID)-\(spanID)-\(isSampled ? "01" : "00")" }

    /// The stored form: `traceparent`, and `tracestate` behind a space.
    package var stored: String { state.isEmpty ? parent : "\(parent) \(state)" }

    /// The context in its stored form.
    package init?(stored: String) {
        if stored.utf8.count == Self.parentLength {
            self.init(parent: stored)
            return
        }
        let parts = stored.split(separator: " ", maxSplits: 1)
        guard let parent = parts.first else { return nil }
        self.init(parent: String(parent), state: parts.count > 1 ? String(parts[1]) : "")
    }

    /// The span with this id in the same trace.
    package func with(_ spanID: SpanID) -> TraceContext {
        var context = self
        context.spanID = spanID
        return context
    }
}
