public import StrictJSON

/// A JSON value in which parts are filled in when the operation runs. Values are put in whole, never spliced
/// into text, except by `$text`, which says so.
public indirect enum Binding: Sendable, Hashable {
    /// The value itself.
    case literal(JSONValue)
    /// `{"$get": "login", "at": "/body/token"}`
    case get(Reference)
    /// `{"$text": "Order {id}", "vars": {"id": …}}`
    case text(String, vars: [NetworkSpec.Entry])
    /// An array with at least one filled-in part.
    case array([Binding])
    /// An object with at least one filled-in part.
    case object([NetworkSpec.Entry])

    /// A place in the result of another operation.
    public struct Reference: Sendable, Hashable {
        /// The other operation: a sibling, a sibling of an enclosing group, or a path such as `outer/inner` that
        /// starts at one of those.
        public var operation: String
        /// Where in its result document: `status`, `headers`, `body`, `bytes`.
        public var at: JSONPointer
        /// What to use when the place does not exist or the operation did not succeed; nil makes that an error.
        public var fallback: JSONValue?

        /// A place in the result of another operation.
        public init(operation: String, at: JSONPointer, fallback: JSONValue? = nil) {
            self.operation = operation
            self.at = at
            self.fallback = fallback
        }
    }
}
