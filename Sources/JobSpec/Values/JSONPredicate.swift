package import StrictJSON

/// A predicate over a JSON document, as data.
package indirect enum JSONPredicate: Sendable, Hashable {
    /// All hold. An empty list holds.
    case all([JSONPredicate])
    /// One holds. An empty list does not hold.
    case any([JSONPredicate])
    /// The inner one does not hold.
    case not(JSONPredicate)
    /// A comparison of one position.
    case compare(Subject, Comparison)

    /// The value that is compared.
    package enum Subject: Sendable, Hashable {
        /// A position in the current document (`at`), such as the operation's own result.
        case at(JSONPointer)
        /// A position in another operation's result (`$get`).
        case reference(Binding.Reference)
    }

    /// A comparison with a constant.
    package enum Comparison: Sendable, Hashable {
        case equals(JSONValue)
        case notEquals(JSONValue)
        case greater(JSONValue)
        case less(JSONValue)
        case `in`(ValueList)
        case exists(Bool)
        case matches(String)
        case startsWith(String)
        case contains(JSONValue)
    }
}
