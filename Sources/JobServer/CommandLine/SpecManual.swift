import Commands
import StrictJSON
import StrictYAML

/// The sections of jobserver-spec(5): the schemas of a job spec, read from the embedded openapi.yaml.
struct SpecManual {
    private let schemas: JSONObject
    private var sections: [ManualPage.Section] = []
    private var seen: Set<ByteKey> = []

    /// All schemas that a spec reaches, in the order in which it does.
    static func sections(of description: [UInt8]) -> [ManualPage.Section] {
        let limits = YAMLDocument.Limits(bytesMax: 8 << 20)
        guard let document = try? YAMLDocument.all(in: description, limits: limits).first,
            let schemas = JSONPointer("/components/schemas")?.resolve(in: document.value)?.object
        else { return [] }
        var manual = SpecManual(schemas: schemas)
        manual.walk()
        return manual.sections
    }

    private init(schemas: JSONObject) { self.schemas = schemas }

    private mutating func walk() {
        var open = ["JobSpec"][...]
        while let name = open.popFirst() {
            guard seen.insert(ByteKey(name)).inserted, let schema = schemas[name] else { continue }
            add(name, schema)
            open += Self.references(in: schema)
        }
    }

    /// A schema that says something of its own; one that only joins others is left out.
    private mutating func add(_ name: String, _ schema: JSONValue) {
        let members = (schema.object?["properties"]?.object?.members ?? []).map { member in
            (
                name: member.name, type: Self.type(of: member.value),
                text: Self.text(of: member.value) ?? self.text(ofReferenceIn: member.value) ?? ""
            )
        }
        var text = Self.text(of: schema) ?? ""
        let choices = Self.choices(of: schema)
        if !choices.isEmpty {
            text += (text.isEmpty ? "" : "\n\n") + "One of: \(choices.joined(separator: ", "))."
        }
        guard !members.isEmpty || !text.isEmpty else { return }
        sections.append(ManualPage.Section(title: name, text: text, members: members))
    }

    /// The names of the schemas that a schema refers to, in order.
    private static func references(in value: JSONValue) -> [String] {
        switch value {
        case .object(let object):
            object.members.flatMap { member in
                member.name == "$ref"
                    ? [name(ofReference: member.value)].compactMap(\.self) : references(in: member.value)
            }
        case .array(let elements): elements.flatMap { references(in: $0) }
        default: []
        }
    }

    private static func name(ofReference value: JSONValue) -> String? {
        value.string?.utf8.split(separator: UInt8(ascii: "/")).last.map { String(Substring($0)) }
    }

    private static func choices(of schema: JSONValue) -> [String] {
        let alternatives = schema.object?["oneOf"]?.array ?? schema.object?["anyOf"]?.array ?? []
        let words = schema.object?["enum"]?.array ?? []
        return alternatives.map { type(of: $0) }
            + words.map { $0.string ?? String(decoding: $0.encoded(), as: UTF8.self) }
    }

    /// The type of a member: a schema, a type of JSON, or the values that it may have.
    private static func type(of schema: JSONValue) -> String {
        guard let object = schema.object else { return "" }
        if let reference = object["$ref"] { return name(ofReference: reference) ?? "" }
        if let value = object["const"] {
            return value.string ?? String(decoding: value.encoded(), as: UTF8.self)
        }
        let words = object["enum"]?.array?.compactMap(\.string) ?? []
        if !words.isEmpty { return words.joined(separator: "|") }
        if let item = object["items"] { return "array of \(type(of: item))" }
        let choices = choices(of: schema)
        return choices.isEmpty ? object["type"]?.string ?? "" : choices.joined(separator: " or ")
    }

    private static func text(of schema: JSONValue) -> String? {
        guard let object = schema.object else { return nil }
        let text = object["description"]?.string.map { $0.last == "\n" ? String($0.dropLast()) : $0 }
        let standard = object["default"].map {
            "Default: \($0.string ?? String(decoding: $0.encoded(), as: UTF8.self))."
        }
        let parts = [text, standard].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// The first paragraph of the schema that a member refers to.
    private func text(ofReferenceIn schema: JSONValue) -> String? {
        guard let name = schema.object?["$ref"].flatMap({ Self.name(ofReference: $0) }),
            let other = schemas[name]
        else { return nil }
        return Self.text(of: other)?.split(separator: "\n\n").first.map(String.init)
    }
}
