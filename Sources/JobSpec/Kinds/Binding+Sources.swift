extension Binding {
    /// The operations that it takes something from, each once.
    var sources: Set<String> {
        switch self {
        case .literal: []
        case .get(let reference): reference.sources
        case .text(_, let vars): Set(vars.flatMap(\.value.sources))
        case .array(let parts): Set(parts.flatMap(\.sources))
        case .object(let entries): Set(entries.flatMap(\.value.sources))
        }
    }
}

extension Binding.Reference {
    /// The operation that it refers to, if it needs its success.
    fileprivate var sources: Set<String> {
        if case .operation(let name) = source, fallback == nil { [name] } else { [] }
    }
}

extension JSONPredicate {
    /// The operations that it refers to and that must succeed.
    var sources: Set<String> {
        switch self {
        case .all(let parts), .any(let parts): Set(parts.flatMap(\.sources))
        case .not(let part): part.sources
        case .compare(.reference(let reference), _): reference.sources
        case .compare(.at, _): []
        }
    }
}

extension TransformSpec {
    /// The operations whose success it needs.
    var sources: Set<String> {
        input.sources.union(filter?.sources ?? []).union(each?.sources ?? []).union(result?.sources ?? [])
    }
}
