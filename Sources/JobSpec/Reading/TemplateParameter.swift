public import StrictJSON

/// A parameter of a template.
public struct TemplateParameter: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its type.
    public var form: OperationKind.Form
    /// Whether it must be given. One with a default need not be.
    public var isRequired: Bool
    /// The default; nil for an optional parameter without one.
    public var fallback: JSONValue?
    /// The values it may have; empty is any.
    public var choices: [JSONValue]
    /// The least number.
    public var minimum: JSONNumber?
    /// The greatest number.
    public var maximum: JSONNumber?

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
