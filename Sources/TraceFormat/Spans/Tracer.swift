/// Decides which traces are recorded, and takes their spans.
package final class Tracer: Sendable {
    package let sampler: TraceSampler
    package let relation: TraceRelation
    package let buffer: SpanBuffer

    package init(sampler: TraceSampler, relation: TraceRelation, buffer: SpanBuffer) {
        self.sampler = sampler
        self.relation = relation
        self.buffer = buffer
    }

    /// Takes a finished span if its trace is recorded.
    package func record(_ context: TraceContext, _ span: () -> TraceSpan) {
        if context.isSampled { buffer.add(span) }
    }
}
