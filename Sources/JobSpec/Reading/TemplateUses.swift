internal import StrictJSON

/// The operation of a template at a place as it was read.
protocol TemplateBody {}

/// The templates that the reading of a spec has looked up and read: each once, however often it is used.
struct TemplateUses {
    /// A template at a place: what it may use there depends on the operations and templates around.
    struct Place: Hashable {
        private let name: ByteKey
        private let version: Int64
        private let depth: Int
        private let around: [ByteKey]

        init(of template: TemplateDefinition, in scope: SpecScope) {
            name = ByteKey(template.name)
            version = template.version
            depth = scope.depth
            around = scope.templates.map { ByteKey($0) }
        }
    }

    /// The bytes of all uses so far.
    var bytes = 0
    /// Whether they were too many, which is reported once.
    var isOver = false
    private var definitions: [ByteKey: TemplateDefinition] = [:]
    private var bodies: [Place: any TemplateBody] = [:]

    /// The template of a reference, looked up once.
    mutating func definition(_ reference: String, by lookup: TemplateLookup) -> TemplateDefinition? {
        let key = ByteKey(reference)
        if let known = definitions[key] { return known }
        guard let found = lookup(reference) else { return nil }
        definitions[key] = found
        return found
    }

    /// The operation of the template at a place, when it was read before.
    subscript(place: Place) -> (any TemplateBody)? {
        get { bodies[place] }
        set { bodies[place] = newValue }
    }
}
