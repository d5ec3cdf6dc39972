package import StrictJSON

/// A parameter of a template.
package struct TemplateParameter: Sendable, Hashable {
    /// Its name.
    package var name: String
    /// Its type.
    package var form: OperationKind.Form
    /// Whether it must be given. One with a default need not be.
    package var isRequired: Bool
    /// The default; nil for an optional parameter without one.
    package var fallback: JSONValue?
    /// The values it may have; empty is any.
    package var choices: [JSONValue]
    /// The least number.
    package var minimum: JSONNumber?
    /// The greatest number.
    package var maximum: JSONNumber?

    /// The problem of a value of the wrong type; nil for a valid one.
    func complaint(about value: JSONValue) -> String? {
        guard form.allows(value) else { return "must be \(form.text), not \(value.kindName)" }
        if !choices.isEmpty,
            !choices.contains(where: { JSONPredicate.Comparison.equals($0).holds(of: value) })
        {
            let list = choices.map { String(decoding: $0.encoded(), as: UTF8.self) }
            return "must be one of \(list.joined(separator: ", "))"
        }
        if let minimum, JSONPredicate.Comparison.less(.number(minimum)).holds(of: value) {
            return "must be at least \(minimum.text)"
        }
        if let maximum, JSONPredicate.Comparison.greater(.number(maximum)).holds(of: value) {
            return "must be at most \(maximum.text)"
        }
        return nil
    }
}
