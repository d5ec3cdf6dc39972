public import StrictJSON

/// One version of a template: its parameters, and the operation that it becomes.
public struct TemplateDefinition: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its version, from 1.
    public var version: Int64
    /// Its parameters.
    public var parameters: [TemplateParameter]
    /// The operation, with `$param` where parameters go in; read anew wherever it is used.
    public var operation: JSONValue
}

extension TemplateDefinition {
    /// The greatest depth of templates that use each other.
    static let depthMax = 8

    /// The operation that the template becomes, and what is wrong with it; pointers begin at the operation.
    func body(
        in scope: SpecScope, of reading: borrowing SpecReading
    ) -> (OperationSpec?, [SpecProblem]) {
        var body = SpecReading(
            limits: reading.limits, now: reading.now, kinds: reading.kinds,
            parameters: Set(parameters.map(\.name)), templates: reading.templates)
        body.operationCount = reading.operationCount
        guard case .object(let object) = operation else {
            body.wrongType(operation, "an operation, which is an object")
            return (nil, body.problems)
        }
        // The template sees nothing of what is around it but how deep it is.
        var inside = SpecScope(egress: scope.egress)
        inside.depth = scope.depth
        inside.templates = scope.templates + [name]
        let operation = OperationReader(inside).read(object, at: .inner, &body)
        ReferenceResolver.noteUnknown(&body)
        return (operation, body.problems)
    }
}

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

/// Finds a template by what a spec says: `resize` for the newest version, `resize@3` for that one.
public typealias TemplateLookup = @Sendable (String) -> TemplateDefinition?
