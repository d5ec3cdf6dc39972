extension TraceExport {
    /// The request as `ExportTraceServiceRequest` of opentelemetry/proto/collector/trace/v1.
    package func protobuf() -> [UInt8] {
        var writer = ProtobufWriter()
        writer.message(1) { spansOfResource in
            spansOfResource.message(1) { Self.write(resource, to: &$0, as: 1) }
            spansOfResource.message(2) { spansOfScope in
                spansOfScope.message(1) { scope in
                    scope.text(1, Self.scope)
                    scope.text(2, version)
                }
                for span in spans { spansOfScope.message(2) { Self.write(span, to: &$0) } }
            }
        }
        return writer.bytes
    }

    private static func write(_ span: TraceSpan, to writer: inout ProtobufWriter) {
        writer.words(1, span.context.traceID.high, span.context.traceID.low)
        writer.words(2, span.context.spanID.bits)
        if !span.context.state.isEmpty { writer.text(3, span.context.state) }
        if let parent = span.parent { writer.words(4, parent.bits) }
        writer.text(5, span.name)
        writer.varint(6, UInt64(span.kind.rawValue))
        writer.fixed64(7, UInt64(clamping: span.start))
        writer.fixed64(8, UInt64(clamping: span.end))
        write(span.attributes, to: &writer, as: 9)
        for event in span.events {
            writer.message(11) { writer in
                writer.fixed64(1, UInt64(clamping: event.at))
                writer.text(2, event.name)
                write(event.attributes, to: &writer, as: 3)
            }
        }
        for link in span.links {
            writer.message(13) { writer in
                writer.words(1, link.traceID.high, link.traceID.low)
                writer.words(2, link.spanID.bits)
                if !link.state.isEmpty { writer.text(3, link.state) }
                if link.isSampled { writer.fixed32(6, 1) }
            }
        }
        switch span.status {
        case .unset: break
        case .error(let text):
            writer.message(15) { status in
                if !text.isEmpty { status.text(2, text) }
                status.varint(3, 2)
            }
        }
        writer.fixed32(16, span.flags)
    }

    private static func write(
        _ attributes: [TraceAttribute], to writer: inout ProtobufWriter, as field: UInt64
    ) {
        for attribute in attributes {
            writer.message(field) { pair in
                pair.text(1, attribute.name)
                pair.message(2) { value in
                    switch attribute.value {
                    case .text(let text): value.text(1, text)
                    case .whole(let number): value.varint(3, UInt64(bitPattern: number))
                    }
                }
            }
        }
    }
}

extension TraceExport.Refusal {
    /// The refusal in an `ExportTraceServiceResponse`; nil when all spans were taken.
    package init?(protobuf bytes: [UInt8]) {
        var response = ProtobufReader(bytes[...])
        while let (field, value) = response.next() {
            guard field == 1, case .bytes(let partial) = value else { continue }
            self.init(spans: 0, reason: "")
            var reader = ProtobufReader(partial)
            while let (field, value) = reader.next() {
                switch (field, value) {
                case (1, .number(let number)): spans = Int(clamping: number)
                case (2, .bytes(let text)): reason = String(decoding: text, as: UTF8.self)
                default: break
                }
            }
            if spans > 0 || !reason.isEmpty { return }
        }
        return nil
    }
}
