internal import StrictJSON

/// The place of an operation in its spec, which decides what its references can see.
indirect enum SpecPlace: Sendable {
    /// The root: sees no other operation.
    case root
    /// A member of the group at `path`.
    case member(groupPath: [String], siblings: Set<String>, outer: SpecPlace)
    /// Made for one element of a map, which may have a name (`as`).
    case item(JSONValue, name: String?, outer: SpecPlace)
    /// A run of the repeat `name`.
    case run(Run, of: String, outer: SpecPlace)
    /// The root of a template's body: sees only its parameters.
    case template(parameters: TemplateArguments)

    /// A run of a repeat.
    struct Run: Sendable {
        /// The number, from 1.
        let number: Int
        /// The path of the latest run before it that succeeded; nil when there is none.
        let previous: [String]?
    }

    /// The path of the operation that a reference names: a sibling first, then siblings of enclosing groups.
    func path(of reference: String) -> [String]? {
        let names = reference.split(separator: "/").map(String.init)
        guard let first = names.first else { return nil }
        switch self {
        case .root, .template: return nil
        case .item(_, _, let outer), .run(_, _, let outer): return outer.path(of: reference)
        case .member(let groupPath, let siblings, let outer):
            return siblings.contains(first) ? groupPath + names : outer.path(of: reference)
        }
    }

    /// The element of the innermost map, or of the one with this name.
    func item(of wanted: String?) -> JSONValue? {
        switch self {
        case .root, .template: nil
        case .member(_, _, let outer), .run(_, _, let outer): outer.item(of: wanted)
        case .item(let value, let name, let outer):
            wanted == nil || wanted == name ? value : outer.item(of: wanted)
        }
    }

    /// A parameter of the enclosing template.
    func parameter(_ name: String) -> JSONValue? {
        switch self {
        case .root: nil
        case .template(let parameters): parameters[name]
        case .member(_, _, let outer), .item(_, _, let outer), .run(_, _, let outer): outer.parameter(name)
        }
    }

    /// The run of the innermost repeat, or of the one with this name.
    func run(of wanted: String?) -> Run? {
        switch self {
        case .root, .template: nil
        case .member(_, _, let outer), .item(_, _, let outer): outer.run(of: wanted)
        case .run(let run, let name, let outer):
            wanted.map(name.hasSameBytes) ?? true ? run : outer.run(of: wanted)
        }
    }
}
