package import StrictJSON

/// One version of a template: its parameters, and its operation.
package struct TemplateDefinition: Sendable, Hashable {
    package var name: String
    /// The version, from 1.
    package var version: Int64
    package var parameters: [TemplateParameter]
    /// The operation, with `$param` for parameters; parsed anew for each use.
    package var operation: JSONValue
}

/// Looks up a template by its name in a spec: `resize` for the newest version, `resize@3` for that one.
package typealias TemplateLookup = @Sendable (String) -> TemplateDefinition?

/// A parameter of a template.
package struct TemplateParameter: Sendable, Hashable {
    package var name: String
    package var form: OperationKind.Form
    /// Whether it must be given. One with a default need not be.
    package var isRequired: Bool
    /// The default; nil for an optional parameter without one.
    package var fallback: JSONValue?
    /// The values it may have; empty is any.
    package var choices: ValueList
    package var minimum: JSONNumber?
    package var maximum: JSONNumber?

    /// The problem of a value of the wrong type; nil for a valid one.
    func complaint(about value: JSONValue) -> String? {
        guard form.allows(value) else { return "must be \(form.text), not \(value.kindName)" }
        if !choices.values.isEmpty, (try? choices.contains(value, StepMeter())) != true {
            return "must be one of \(listedChoices)"
        }
        if let minimum, JSONPredicate.Comparison.less(.number(minimum)).holds(of: value) {
            return "must be at least \(minimum.text)"
        }
        if let maximum, JSONPredicate.Comparison.greater(.number(maximum)).holds(of: value) {
            return "must be at most \(maximum.text)"
        }
        return nil
    }

    /// The values it may have, as far as a sentence has room.
    private var listedChoices: String {
        var texts: [String] = []
        var left = Self.listedBytesMax
        for choice in choices.values {
            guard let bytes = choice.encodedCount(upTo: left) else { break }
            left -= bytes + 2
            texts.append(String(decoding: choice.encoded(), as: UTF8.self))
        }
        let more = choices.values.count - texts.count
        if more > 0 { texts.append("\(more) more") }
        return texts.joined(separator: ", ")
    }

    private static let listedBytesMax = 1_000
}
