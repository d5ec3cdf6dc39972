package import HTTPMessage

/// The answers that count as success.
package struct Expectation: Sendable, Hashable {
    /// Accepted statuses: exact numbers and classes; empty means 2xx.
    package var statuses: [ClosedRange<Int>] = []
    /// The media types that may come; empty takes any. `*` is any type or subtype, `*+json` for any subtype
    /// that ends so; parameters that are written must be there, others may.
    package var contentTypes: [MediaType] = []
    /// A predicate over the result document.
    package var that: JSONPredicate?

    /// Any 2xx.
    package init() {}
}
