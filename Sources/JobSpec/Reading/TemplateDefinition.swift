public import StrictJSON

/// One version of a template: its parameters, and its operation.
public struct TemplateDefinition: Sendable, Hashable {
    /// Its name.
    public var name: String
    /// The version, from 1.
    public var version: Int64
    /// Its parameters.
    public var parameters: [TemplateParameter]
    /// The operation, with `$param` for parameters; parsed anew for each use.
    public var operation: JSONValue
}

/// Looks up a template by its name in a spec: `resize` for the newest version, `resize@3` for that one.
public typealias TemplateLookup = @Sendable (String) -> TemplateDefinition?
