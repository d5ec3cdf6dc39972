internal import StrictJSON

/// References: to other operations, to the element of a map, to parameters, to the job.
extension SpecReading {
    /// `{"$get" | "$item" | "$param" | "$job", "at", "default"}`. Members in `alsoKnown` are read by the caller.
    mutating func reference(
        _ object: JSONObject, _ subject: String, alsoKnown: [String]
    ) -> Binding.Reference? {
        let word = BindingWord.references.first { object[$0.rawValue] != nil }
        if isInCallback, let word {
            note(
                member: word.rawValue, .notAvailable,
                "\"\(word.rawValue)\" is not available here: a callback is a job of its own, which knows of this one "
                    + "what its event says. Put the value itself here.")
            return nil
        }
        return switch word {
        case .item: item(object, subject, alsoKnown)
        case .param: named(object, subject, alsoKnown, "$param") { $0.parameter($1) }
        case .job: named(object, subject, alsoKnown, "$job") { $0.fact($1) }
        default: result(object, subject, alsoKnown)
        }
    }

    private mutating func result(
        _ object: JSONObject, _ subject: String, _ alsoKnown: [String]
    ) -> Binding.Reference? {
        var operation: String?
        var at = JSONPointer(tokens: ["body"])
        var fallback: JSONValue?
        members(of: object, subject, known: ["$get", "at", "default"] + alsoKnown) { reading, name, value in
            switch name {
            case "$get":
                operation = reading.string(value, "the name of another operation")
                if let operation { reading.refer(to: operation, hasFallback: object["default"] != nil) }
            case "at": at = reading.place(value) ?? at
            case "default": fallback = value
            default: return alsoKnown.contains(name)
            }
            return true
        }
        return operation.map { Binding.Reference(operation: $0, at: at, fallback: fallback) }
    }

    /// `{"$item": "/id", "of": "order", "default": …}`
    private mutating func item(
        _ object: JSONObject, _ subject: String, _ alsoKnown: [String]
    ) -> Binding.Reference? {
        var at = JSONPointer.root
        var owner: String?
        var fallback: JSONValue?
        members(of: object, subject, known: ["$item", "of", "default"] + alsoKnown) { reading, name, value in
            switch name {
            case "$item": at = reading.item(value) ?? at
            case "of": owner = reading.itemOwner(value)
            case "default": fallback = value
            default: return alsoKnown.contains(name)
            }
            return true
        }
        return Binding.Reference(.item(of: owner), at: at, fallback: fallback)
    }

    private mutating func item(_ value: JSONValue) -> JSONPointer? {
        if items.isEmpty {
            note(
                .notAvailable,
                "\"$item\" is not available here: only inside of a map is there an element at hand. "
                    + "Take a value from another operation with \"$get\".")
        }
        return pointer(value)
    }

    private mutating func itemOwner(_ value: JSONValue) -> String? {
        guard let name = string(value, "the name that a map around gives its element") else { return nil }
        let known = items.compactMap(\.self)
        if !items.isEmpty && !known.contains(name) {
            note(
                .unknownReference,
                "No map around this calls its element \"\(Self.quotable(name))\" with \"as\".",
                suggestion: SpellingSuggestion.nearest(to: name, in: known))
        }
        return name
    }

    /// A JSON Pointer into a document of any form.
    mutating func pointer(_ value: JSONValue) -> JSONPointer? {
        guard let text = string(value, "a JSON Pointer such as \"/id\"") else { return nil }
        guard let pointer = JSONPointer(text) else {
            note(
                .badPointer,
                "A JSON Pointer is empty or begins with \"/\", with ~0 for ~ and ~1 for / inside of names.",
                suggestion: text.utf8.first == UInt8(ascii: "/") ? nil : "/" + text)
            return nil
        }
        return pointer
    }

    /// `{word: name, "at": …, "default": …}`
    private mutating func named(
        _ object: JSONObject, _ subject: String, _ alsoKnown: [String], _ word: String,
        _ source: (inout SpecReading, JSONValue) -> Binding.Source?
    ) -> Binding.Reference? {
        var found: Binding.Source?
        var at = JSONPointer.root
        var fallback: JSONValue?
        members(of: object, subject, known: [word, "at", "default"] + alsoKnown) { reading, name, value in
            switch name {
            case word: found = source(&reading, value)
            case "at": at = reading.pointer(value) ?? at
            case "default": fallback = value
            default: return alsoKnown.contains(name)
            }
            return true
        }
        return found.map { Binding.Reference($0, at: at, fallback: fallback) }
    }

    private mutating func parameter(_ value: JSONValue) -> Binding.Source? {
        guard let parameters else {
            note(
                .notAvailable,
                "\"$param\" is not available here: a job has no parameters, only the body of a template has. "
                    + "Put the value itself here, or take it from another operation with \"$get\".")
            return nil
        }
        guard let name = string(value, "the name of a parameter") else { return nil }
        if !parameters.contains(name) {
            note(
                .unknownReference, "The template has no parameter \"\(Self.quotable(name))\".",
                suggestion: SpellingSuggestion.nearest(to: name, in: parameters.sorted()))
        }
        return .parameter(name)
    }

    private mutating func fact(_ value: JSONValue) -> Binding.Source? {
        word(value, Binding.JobFact.self).map(Binding.Source.job)
    }
}
