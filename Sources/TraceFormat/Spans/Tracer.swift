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

/// A named fact about a span or about its resource.
package struct TraceAttribute: Sendable, Hashable {
    package enum Value: Sendable, Hashable {
        case text(String)
        case whole(Int64)
    }

    package var name: String
    package var value: Value

    package init(_ name: String, _ value: Value) {
        self.name = name
        self.value = value
    }
}

/// The relation of the span of a job to that of its submission.
package enum TraceRelation: String, Sendable, Hashable, CaseIterable {
    /// A child when the job starts within a minute, otherwise as `link`: a trace that lasts for days is of no use.
    case auto
    /// Always a child, of the first try.
    case child
    /// Always a trace of the job alone, with a link.
    case link

    /// The delay of a start after which `auto` links.
    package static let childSeconds: Int64 = 60
}
