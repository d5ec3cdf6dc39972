public import StrictJSON

/// A template in one version: what it takes, and the operation that it becomes.
public struct TemplateDefinition: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// Its version, from 1.
    public var version: Int64
    /// What it takes.
    public var parameters: [TemplateParameter]
    /// The operation, with `$param` where parameters go in; read anew wherever it is used.
    public var operation: JSONValue
}

/// A parameter of a template.
public struct TemplateParameter: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// What it must be.
    public var form: OperationKind.Form
    /// Whether it must be given. One with a default need not be.
    public var isRequired: Bool
    /// What it is when it is not given; nil leaves it out.
    public var fallback: JSONValue?
    /// The values it may have; empty is any.
    public var choices: [JSONValue]
    /// The least number.
    public var minimum: JSONNumber?
    /// The greatest number.
    public var maximum: JSONNumber?

    /// What is wrong with a value; nil when nothing is.
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

/// A template as an operation: its parameters are filled in when it runs, and then it becomes what its body says.
public struct WrapperSpec: Sendable, Hashable {
    /// The template's name.
    public var template: String
    /// The version that was pinned when the job was submitted.
    public var version: Int64
    /// What the template takes.
    public var parameters: [TemplateParameter]
    /// What it is given.
    public var values: [NetworkSpec.Entry]
    /// The operation that it becomes.
    public var operation: OperationSpec
}

extension WrapperSpec {
    /// The parameters with everything filled in and checked.
    /// - Throws: what `lookup` throws; `template.invalid` for a value that the template does not take.
    func resolved(lookup: Binding.Lookup) throws(AOperationError) -> JSONObject {
        var object = JSONObject()
        var room = ValueRoom("What is given to \(template)")
        for parameter in parameters {
            let entry = values.first { $0.name == parameter.name }
            let value = try entry?.value.resolve(lookup: lookup) ?? parameter.fallback
            guard let value else {
                guard parameter.isRequired else { continue }
                throw AOperationError(
                    .templateInvalid, detail: "\(template) needs the parameter \(parameter.name).")
            }
            if let complaint = parameter.complaint(about: value) {
                throw AOperationError(
                    .templateInvalid,
                    detail: "The parameter \(parameter.name) of \(template)@\(version) \(complaint).")
            }
            try room.take(value)
            object[parameter.name] = parameter.form.handedOn(value)
        }
        return object
    }
}
