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
