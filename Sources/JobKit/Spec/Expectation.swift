public import HTTPMessage

/// What an answer must be like.
public struct Expectation: Sendable, Hashable {
    /// Accepted statuses: exact numbers and classes; empty means 2xx.
    public var statuses: [ClosedRange<Int>] = []
    /// The media types that may come; empty takes any. `*` stands for any type or subtype, `*+json` for any subtype
    /// that ends so; parameters that are written must be there, others may.
    public var contentTypes: [MediaType] = []
    /// What must hold of the result document.
    public var that: Predicate?

    /// Any 2xx.
    public init() {}
}
