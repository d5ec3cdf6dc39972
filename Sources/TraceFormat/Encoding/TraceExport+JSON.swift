internal import StrictJSON

extension TraceExport {
    /// The request as JSON: the mapping of Protocol Buffers, but ids are hexadecimal and names in camel case only.
    package func json() -> [UInt8] {
        var writer = JSONWriter(capacity: 512 + spans.count * 768)
        writer.beginObject()
        writer.name("resourceSpans")
        writer.beginArray()
        writer.beginObject()
        writer.name("resource")
        writer.beginObject()
        Self.write(resource, to: &writer)
        writer.endObject()
        writer.name("scopeSpans")
        writer.beginArray()
        writer.beginObject()
        writer.name("scope")
        writer.beginObject()
        writer.member("name", Self.scope)
        writer.member("version", version)
        writer.endObject()
        writer.name("spans")
        writer.beginArray()
        for span in spans { Self.write(span, to: &writer) }
        writer.endArray()
        writer.endObject()
        writer.endArray()
        writer.endObject()
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    private static func write(_ span: TraceSpan, to writer: inout JSONWriter) {
        writer.beginObject()
        write(span.context, to: &writer)
        if let parent = span.parent { writer.member("parentSpanId", parent.description) }
        writer.member("flags", Int64(span.flags))
        writer.member("name", span.name)
        writer.member("kind", Int64(span.kind.rawValue))
        writer.member("startTimeUnixNano", String(span.start))
        writer.member("endTimeUnixNano", String(span.end))
        write(span.attributes, to: &writer)
        if !span.events.isEmpty {
            writer.name("events")
            writer.beginArray()
            for event in span.events {
                writer.beginObject()
                writer.member("timeUnixNano", String(event.at))
                writer.member("name", event.name)
                write(event.attributes, to: &writer)
                writer.endObject()
            }
            writer.endArray()
        }
        if !span.links.isEmpty {
            writer.name("links")
            writer.beginArray()
            for link in span.links {
                writer.beginObject()
                write(link, to: &writer)
                if link.isSampled { writer.member("flags", Int64(1)) }
                writer.endObject()
            }
            writer.endArray()
        }
        switch span.status {
        case .unset: break
        case .error(let text): write(status: 2, text, to: &writer)
        }
        writer.endObject()
    }

    private static func write(_ context: TraceContext, to writer: inout JSONWriter) {
        writer.member("traceId", context.traceID.description)
        writer.member("spanId", context.spanID.description)
        if !context.state.isEmpty { writer.member("traceState", context.state) }
    }

    private static func write(status code: Int64, _ text: String, to writer: inout JSONWriter) {
        writer.name("status")
        writer.beginObject()
        if !text.isEmpty { writer.member("message", text) }
        writer.member("code", code)
        writer.endObject()
    }

    private static func write(_ attributes: [TraceAttribute], to writer: inout JSONWriter) {
        if attributes.isEmpty { return }
        writer.name("attributes")
        writer.beginArray()
        for attribute in attributes {
            writer.beginObject()
            writer.member("key", attribute.name)
            writer.name("value")
            writer.beginObject()
            switch attribute.value {
            case .text(let text): writer.member("stringValue", text)
            case .whole(let number): writer.member("intValue", String(number))
            }
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
    }
}

extension TraceExport.Refusal {
    /// The refusal in a JSON response; nil when all spans were taken.
    package init?(json bytes: [UInt8]) {
        guard let partial = (try? JSONParser.parse(bytes))?.object?["partialSuccess"]?.object else {
            return nil
        }
        // The mapping writes 64 bits as text, and takes a number, too.
        let count = partial["rejectedSpans"]
        spans = count?.string.flatMap { Int($0) } ?? count?.number?.int64.map { Int(clamping: $0) } ?? 0
        reason = partial["errorMessage"]?.string ?? ""
        if spans == 0 && reason.isEmpty { return nil }
    }
}
