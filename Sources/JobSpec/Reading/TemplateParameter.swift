public import StrictJSON

/// A parameter of a template.
public struct TemplateParameter: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its type.
    public var form: OperationKind.Form
    /// Whether it must be given. One with a default need not be.
    public var isRequired: Bool
    /// Its default; nil leaves it out.
    public var fallback: JSONValue?
    /// The values it may have; empty is any.
    public var choices: [JSONValue]
    /// The least number.
    public var minimum: JSONNumber?
    /// The greatest number.
    public var maximum: JSONNumber?

    /// A complaint about a value that it cannot take; nil for one that it can.
    func complaint(about value: JSONValue) -> String? {
        guard form.allows(value) else { return "must be \(form.text), not \(value.kindName)" }
        if !choices.isEmpty, !choices.contains(where: { Predicate.Comparison.equals($0).holds(of: value) }) {
            let list = choices.map { String(decoding: $0.encoded(), as: UTF8.self) }
            return "must be one of \(list.joined(separator: ", "))"
        }
        if let minimum, Predicate.Comparison.less(.number(minimum)).holds(of: value) {
            return "must be at least \(minimum.text)"
        }
        if let maximum, Predicate.Comparison.greater(.number(maximum)).holds(of: value) {
            return "must be at most \(maximum.text)"
        }
        return nil
    }
}
