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

/// Finds a template by what a spec says: `resize` for the newest version, `resize@3` for that one.
public typealias TemplateLookup = @Sendable (String) -> TemplateDefinition?
