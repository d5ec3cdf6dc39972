public import HTTPMessage

/// The answers that count as success.
public struct Expectation: Sendable, Hashable {
    /// Accepted statuses: exact numbers and classes; empty means 2xx.
    public var statuses: [ClosedRange<Int>] = []
    /// The media types that may come; empty takes any. `*` is any type or subtype, `*+json` for any subtype
    /// that ends so; parameters that are written must be there, others may.
    public var contentTypes: [MediaType] = []
    /// A predicate over the result document.
    public var that: JSONPredicate?

    /// Any 2xx.
    public init() {}
}
