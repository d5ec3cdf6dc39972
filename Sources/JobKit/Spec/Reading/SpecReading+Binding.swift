internal import StrictJSON

/// Values in which parts are filled in at run time.
extension SpecReading {
    /// What a result document has. `state` and `error` are there when the operation did not succeed.
    private static let places = [
        "status", "headers", "body", "bytes", "artifact", "unchanged", "cookie", "cookies",
        "state", "error",
    ]

    /// The member that makes an object a binding.
    enum BindingWord: String {
        case get = "$get"
        case text = "$text"
        case item = "$item"
        case param = "$param"
        case job = "$job"
        case secret = "$secret"
        case artifact = "$artifact"

        static let references = [get, item, param, job]
        static let all = [get, text, item, param, job, secret, artifact]
    }

    /// A JSON value, or a binding when something in it is filled in.
    mutating func binding(_ value: JSONValue) -> Binding {
        guard Self.mentionsBinding(value) else { return .literal(value) }
        switch value {
        case .object(let object):
            switch BindingWord.all.first(where: { object[$0.rawValue] != nil }) {
            case .text: return text(object)
            case .get, .item, .param, .job:
                guard let reference = reference(object, "A reference", alsoKnown: []) else {
                    return .literal(.null)
                }
                return .get(reference)
            case .secret: return secret(object)
            case .artifact: return unavailable(object, value)
            case nil: return .object(entries(object))
            }
        case .array(let elements):
            return .array(
                elements.enumerated().map { index, element in
                    enter(index)
                    defer { leave() }
                    return binding(element)
                })
        default: return .literal(value)
        }
    }

    private mutating func unavailable(_ object: JSONObject, _ value: JSONValue) -> Binding {
        note(
            member: "$artifact", .notAvailable,
            "\"$artifact\" is not available here. "
                + "Put the value itself here, or take it from another operation with \"$get\".")
        return .literal(value)
    }

    /// An object whose members may be filled in one by one.
    mutating func entries(of value: JSONValue, _ expected: String) -> [NetworkSpec.Entry] {
        guard case .object(let object) = value else {
            wrongType(value, expected)
            return []
        }
        return entries(object)
    }

    private mutating func entries(_ object: JSONObject) -> [NetworkSpec.Entry] {
        object.members.map { member in
            enter(member.name)
            defer { leave() }
            return NetworkSpec.Entry(name: member.name, value: binding(member.value))
        }
    }

    /// Whether something in the value is filled in, or wants to be.
    static func mentionsBinding(_ value: JSONValue) -> Bool {
        switch value {
        case .object(let object):
            object.members.contains { member in
                member.name.utf8.first == UInt8(ascii: "$") && isBindingName(member.name)
                    || mentionsBinding(member.value)
            }
        case .array(let elements): elements.contains(where: mentionsBinding)
        default: false
        }
    }

    private static func isBindingName(_ name: String) -> Bool { BindingWord(rawValue: name) != nil }

    /// A JSON Pointer into a result document.
    mutating func place(_ value: JSONValue) -> JSONPointer? {
        guard let text = string(value, "a JSON Pointer such as \"/body/id\"") else { return nil }
        guard let pointer = JSONPointer(text) else {
            note(
                .badPointer,
                "A JSON Pointer is empty or begins with \"/\", with ~0 for ~ and ~1 for / inside of names.",
                suggestion: text.pointerOfPath.map { Self.places(in: $0) })
            return nil
        }
        if let first = pointer.tokens.first, !Self.places.contains(first) {
            note(
                .badPointer,
                "A result has \(Self.places.joined(separator: ", ")), not \"\(Self.quotable(first))\".",
                suggestion: Self.places(in: pointer))
        }
        return pointer
    }

    /// The pointer with a place of a result at its front.
    private static func places(in pointer: JSONPointer) -> String {
        guard let first = pointer.tokens.first, !places.contains(first) else { return pointer.description }
        guard let place = SpellingSuggestion.nearest(to: first, in: places) else { return "/body\(pointer)" }
        return JSONPointer(tokens: [place] + pointer.tokens.dropFirst()).description
    }

    private mutating func text(_ object: JSONObject) -> Binding {
        var template = ""
        var vars: [NetworkSpec.Entry] = []
        members(of: object, "A text", known: ["$text", "vars"]) { reading, name, value in
            switch name {
            case "$text": template = reading.string(value) ?? ""
            case "vars": vars = reading.entries(of: value, "an object of values by name")
            default: return false
            }
            return true
        }
        guard let parts = TextTemplate(template) else {
            note(
                member: "$text", .badTemplate,
                "A \"{\" or \"}\" has no partner. Write {name} for a value, {{ and }} for the braces themselves."
            )
            return .text(template, vars: vars)
        }
        for name in parts.names where !vars.contains(where: { $0.name == name }) {
            note(
                member: "$text", .missingMember,
                "The text uses {\(Self.quotable(name))}, and \"vars\" does not have it.",
                suggestion: SpellingSuggestion.nearest(to: name, in: vars.map(\.name)))
        }
        return .text(template, vars: vars)
    }
}

extension String {
    /// `body.items.0`, `.body.items.0` and the JSONPath `$.items[0]` as a pointer: `/body/items/0`; nil when it is
    /// none of these.
    fileprivate var pointerOfPath: JSONPointer? {
        guard first != "/" else { return nil }
        let names = split { "$.[]/\"'".contains($0) }
        if names.isEmpty { return nil }
        let isInContent = first == "$" && names[0] != "body"
        return JSONPointer(tokens: (isInContent ? ["body"] : []) + names.map(String.init))
    }
}
