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
        case previous = "$previous"
        case hook = "$hook"
        case secret = "$secret"
        case callback = "$callback"
        case artifact = "$artifact"
        case lines = "$lines"

        static let references = [get, item, param, job, previous, hook]
        static let all = [get, text, item, param, job, previous, hook, secret, callback, artifact, lines]
    }

    /// A JSON value, or a binding when a part of it is bound.
    func binding(_ value: JSONValue, _ reading: inout SpecReading) -> Binding {
        guard Self.mentionsBinding(value) else { return .literal(value) }
        return bound(value, &reading) ?? .literal(value)
    }

    /// The binding that a value is, found in one pass; nil when no part of it is bound.
    private func bound(_ value: JSONValue, _ reading: inout SpecReading) -> Binding? {
        switch value {
        case .object(let object):
            switch Word.all.first(where: { object[$0.rawValue] != nil }) {
            case .text: return text(object, &reading)
            case .get, .item, .param, .job, .previous, .hook:
                guard
                    let reference = SourceReader(scope).reference(
                        object, "A reference", alsoKnown: [], &reading)
                else {
                    return .literal(.null)
                }
                return .get(reference)
            case .secret: return secret(object, &reading)
            case .callback: return callback(object, &reading)
            case .artifact: return unavailable("$artifact", value, &reading)
            case .lines: return unavailable("$lines", value, &reading)
            case nil: return boundMembers(of: object, &reading)
            }
        case .array(let elements):
            var parts: [Binding]?
            for (index, element) in elements.enumerated() where !reading.isCut {
                reading.enter(index)
                let part = bound(element, &reading)
                reading.leave()
                if let part, parts == nil {
                    parts = elements[..<index].map(Binding.literal) + [part]
                } else {
                    parts?.append(part ?? .literal(element))
                }
            }
            return parts.map(Binding.array)
        default: return nil
        }
    }

    /// An object without a word of its own; nil when no member is bound.
    private func boundMembers(of object: JSONObject, _ reading: inout SpecReading) -> Binding? {
        var entries: [NetworkSpec.Entry]?
        for (index, member) in object.members.enumerated() where !reading.isCut {
            reading.enter(member.name)
            let part = bound(member.value, &reading)
            reading.leave()
            if let part, entries == nil {
                entries =
                    object.members[..<index].map { .init(name: $0.name, value: .literal($0.value)) }
                    + [.init(name: member.name, value: part)]
            } else {
                entries?.append(.init(name: member.name, value: part ?? .literal(member.value)))
            }
        }
        return entries.map(Binding.object)
    }

    private func unavailable(_ word: String, _ value: JSONValue, _ reading: inout SpecReading) -> Binding {
        reading.note(
            member: word, .notAvailable,
            "\"\(word)\" is not available here. "
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
        var entries: [NetworkSpec.Entry] = []
        entries.reserveCapacity(object.count)
        for member in object.members where !reading.isCut {
            reading.enter(member.name)
            let value = bound(member.value, &reading) ?? .literal(member.value)
            entries.append(NetworkSpec.Entry(name: member.name, value: value))
            reading.leave()
        }
        return entries
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
        let known = NameIndex(vars, by: { $0.name })
        for name in parts.names
        where !reading.isCut && known.place(of: name, in: vars, by: { $0.name }) == nil {
            reading.note(
                member: "$text", .missingMember,
                "The text uses {\(String(quotable: name))}, and \"vars\" does not have it.",
                suggestion: reading.nearest(to: name, in: vars.lazy.map(\.name)))
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

    /// `{"$callback": "printed"}`
    private func callback(_ object: JSONObject, _ reading: inout SpecReading) -> Binding {
        guard scope.secrets == .allowed, !scope.isCallback else {
            reading.note(
                member: "$callback", .notAvailable,
                scope.isCallback
                    ? "A callback is a separate job, which has no URLs of this one. Hand out the URL in a request of the "
                        + "job."
                    : "The URL is itself the permission to go on, so it can be used in \"request\" only: everything "
                        + "else is stored and shown.")
            return .literal(.null)
        }
        var name: String?
        reading.members(of: object, "A callback URL", known: ["$callback"]) { reading, member, value in
            guard member == "$callback" else { return false }
            name = reading.string(value, "the name of an await operation")
            if let name {
                reading.account.noteCallback(at: reading.pointer)
                reading.refer(toCallbackOf: name)
            }
            return true
        }
        return name.map { .get(Binding.Reference(.callback(of: $0))) } ?? .literal(.null)
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
