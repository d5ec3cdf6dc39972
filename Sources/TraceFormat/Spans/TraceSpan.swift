/// One finished span, as it is exported. Times are nanoseconds since 1970.
package struct TraceSpan: Sendable, Hashable {
    /// The role of a span; the numbers of the protocol.
    package enum Kind: Int, Sendable {
        case `internal` = 1
        case server, client, producer, consumer
    }

    /// The outcome of the work; the numbers of the protocol.
    package enum Status: Sendable, Hashable {
        case unset
        case error(String)
    }

    /// Something that happened during a span.
    package struct Event: Sendable, Hashable {
        package var at: Int64
        package var name: String
        package var attributes: [TraceAttribute]

        package init(at: Int64, name: String, attributes: [TraceAttribute] = []) {
            self.at = at
            self.name = name
            self.attributes = attributes
        }
    }

    package var context: TraceContext
    /// The parent in the same trace; nil at its root.
    package var parent: SpanID?
    /// Whether the parent is in another process.
    package var hasRemoteParent = false
    package var kind: Kind
    package var name: String
    package var start: Int64
    package var end: Int64
    package var attributes: [TraceAttribute] = []
    package var events: [Event] = []
    /// Spans of other traces that this one belongs to.
    package var links: [TraceContext] = []
    package var status = Status.unset

    package init(
        _ context: TraceContext, in parent: SpanID?, kind: Kind, name: String, start: Int64, end: Int64
    ) {
        self.context = context
        self.parent = parent
        self.kind = kind
        self.name = name
        self.start = start
        self.end = max(start, end)
    }

    /// Adds an attribute, unless it has no value.
    package mutating func set(_ name: String, _ value: String?) {
        if let value { attributes.append(TraceAttribute(name, .text(value))) }
    }

    /// Adds an attribute, unless it has no value.
    package mutating func set(_ name: String, _ value: Int?) {
        if let value { attributes.append(TraceAttribute(name, .whole(Int64(value)))) }
    }
}
