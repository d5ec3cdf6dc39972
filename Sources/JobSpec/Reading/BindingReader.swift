internal import JobKit
internal import StrictJSON

/// Reads values in which parts are filled in at run time.
struct BindingReader {
    let scope: SpecScope

    init(_ scope: SpecScope) { self.scope = scope }

    /// The member that makes an object a binding.
    enum Word: String {
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

    /// A JSON value, or a binding when a part of it is bound.
    func binding(_ value: JSONValue, _ reading: inout SpecReading) -> Binding {
        guard Self.mentionsBinding(value) else { return .literal(value) }
        switch value {
        case .object(let object):
            switch Word.all.first(where: { object[$0.rawValue] != nil }) {
            case .text: return text(object, &reading)
            case .get, .item, .param, .job:
                guard
                    let reference = SourceReader(scope).reference(
                        object, "A reference", alsoKnown: [], &reading)
                else {
                    return .literal(.null)
                }
                return .get(reference)
            case .secret: return secret(object, &reading)
            case .artifact: return unavailable(object, value, &reading)
            case nil: return .object(entries(object, &reading))
            }
        case .array(let elements):
            return .array(
                elements.enumerated().map { index, element in
                    reading.enter(index)
                    defer { reading.leave() }
                    return binding(element, &reading)
                })
        default: return .literal(value)
        }
    }

    private func unavailable(_ object: JSONObject, _ value: JSONValue, _ reading: inout SpecReading)
        -> Binding
    {
        reading.note(
            member: "$artifact", .notAvailable,
            "\"$artifact\" is not available here. "
                + "Put the value itself here, or take it from another operation with \"$get\".")
        return .literal(value)
    }

    /// An object whose members may be bindings.
    func entries(of value: JSONValue, _ expected: String, _ reading: inout SpecReading) -> [NetworkSpec.Entry]
    {
        guard case .object(let object) = value else {
            reading.wrongType(value, expected)
            return []
        }
        return entries(object, &reading)
    }

    private func entries(_ object: JSONObject, _ reading: inout SpecReading) -> [NetworkSpec.Entry] {
        object.members.map { member in
            reading.enter(member.name)
            defer { reading.leave() }
            return NetworkSpec.Entry(name: member.name, value: binding(member.value, &reading))
        }
    }

    /// Whether the value contains a binding, valid or not.
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

    private static func isBindingName(_ name: String) -> Bool { Word(rawValue: name) != nil }

    private func text(_ object: JSONObject, _ reading: inout SpecReading) -> Binding {
        var template = ""
        var vars: [NetworkSpec.Entry] = []
        reading.members(of: object, "A text", known: ["$text", "vars"]) { reading, name, value in
            switch name {
            case "$text": template = reading.string(value) ?? ""
            case "vars": vars = entries(of: value, "an object of values by name", &reading)
            default: return false
            }
            return true
        }
        guard let parts = TextTemplate(template) else {
            reading.note(
                member: "$text", .badTemplate,
                "A \"{\" or \"}\" has no partner. Write {name} for a value, {{ and }} for the braces themselves."
            )
            return .text(template, vars: vars)
        }
        for name in parts.names where !vars.contains(where: { $0.name == name }) {
            reading.note(
                member: "$text", .missingMember,
                "The text uses {\(String(quotable: name))}, and \"vars\" does not have it.",
                suggestion: SpellingSuggestion.nearest(to: name, in: vars.map(\.name)))
        }
        return .text(template, vars: vars)
    }

    /// A value that becomes text: a string, a number, a boolean, or a binding.
    func textBinding(_ value: JSONValue, _ reading: inout SpecReading) -> Binding {
        let binding = binding(value, &reading)
        switch (binding, value) {
        case (.literal, .string), (.literal, .number), (.literal, .bool): break
        case (.get, _), (.text, _): break
        default:
            reading.wrongType(
                value,
                "a text, or something that is filled in with \"$get\", \"$text\" or, in a request, \"$secret\""
            )
        }
        return binding
    }

    /// A confidential value. In a connection, which is readable, it must come from a secret.
    func confidential(_ value: JSONValue, _ reading: inout SpecReading) -> Binding {
        let binding = textBinding(value, &reading)
        if scope.secrets == .required, case .literal = binding {
            reading.note(
                .literalSecret,
                "Everyone who may read the connection would see this value. "
                    + "Store it with PUT /v1/secrets/{name} and name it here.",
                suggestion: #"{"$secret": "name"}"#)
        }
        return binding
    }

    /// `{"$secret": "name"}`
    private func secret(_ object: JSONObject, _ reading: inout SpecReading) -> Binding {
        if scope.secrets == .refused {
            reading.note(
                member: "$secret", .notAvailable,
                "A secret can be used in \"request\" only: everything else is stored and shown. "
                    + "Put the reference where the value is sent.")
        }
        var name: String?
        reading.members(of: object, "A reference to a secret", known: ["$secret"]) { reading, member, value in
            guard member == "$secret" else { return false }
            name = reading.name(value)
            return true
        }
        return name.map { .get(Binding.Reference(.secret($0))) } ?? .literal(.null)
    }
}
