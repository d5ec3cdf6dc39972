internal import JobKit
internal import StrictJSON

/// Reads references: to other operations, to the element of a map, to the run before, to parameters, to the job.
struct SourceReader {
    let scope: SpecScope

    init(_ scope: SpecScope) { self.scope = scope }

    /// `{"$get" | "$item" | "$param" | "$job" | "$previous" | "$hook", "at", "default"}`. Members in `alsoKnown` are
    /// read by the caller.
    func reference(_ object: JSONObject, _ subject: String, alsoKnown: [String], _ reading: inout SpecReading)
        -> Binding.Reference?
    {
        let word = BindingReader.Word.references.first { object[$0.rawValue] != nil }
        if scope.isCallback, let word {
            reading.note(
                member: word.rawValue, .notAvailable,
                "\"\(word.rawValue)\" is not available here: a callback is a separate job, which knows this one only by "
                    + "its event. Write the value itself here.")
            return nil
        }
        return switch word {
        case .item: item(object, subject, alsoKnown, &reading)
        case .param: named(object, subject, alsoKnown, "$param", &reading) { parameter($1, &$0) }
        case .job: named(object, subject, alsoKnown, "$job", &reading) { fact($1, &$0) }
        case .previous:
            named(object, subject, alsoKnown, "$previous", in: .body, &reading) { previous($1, &$0) }
        case .hook: named(object, subject, alsoKnown, "$hook", &reading) { delivery($1, &$0) }
        case .get, .text, .secret, .callback, .artifact, .lines, nil:
            result(object, subject, alsoKnown, &reading)
        }
    }

    private func result(
        _ object: JSONObject, _ subject: String, _ alsoKnown: [String], _ reading: inout SpecReading
    ) -> Binding.Reference? {
        var operation: String?
        var at = JSONPointer.body
        var fallback: JSONValue?
        reading.members(of: object, subject, known: ["$get", "at", "default"] + alsoKnown) {
            reading, name, value in
            switch name {
            case "$get":
                operation = reading.string(value, "the name of another operation")
                if let operation {
                    reading.refer(to: operation, hasFallback: object["default"] != nil, scope)
                }
            case "at": at = PointerReader.place(value, &reading) ?? at
            case "default": fallback = value
            default: return alsoKnown.contains(name)
            }
            return true
        }
        return operation.map { Binding.Reference(operation: $0, at: at, fallback: fallback) }
    }

    /// `{"$item": "/id", "of": "order", "default": …}`
    private func item(
        _ object: JSONObject, _ subject: String, _ alsoKnown: [String], _ reading: inout SpecReading
    ) -> Binding.Reference? {
        var at = JSONPointer.root
        var owner: String?
        var fallback: JSONValue?
        reading.members(of: object, subject, known: ["$item", "of", "default"] + alsoKnown) {
            reading, name, value in
            switch name {
            case "$item": at = item(value, &reading) ?? at
            case "of": owner = itemOwner(value, &reading)
            case "default": fallback = value
            default: return alsoKnown.contains(name)
            }
            return true
        }
        return Binding.Reference(.item(of: owner), at: at, fallback: fallback)
    }

    private func item(_ value: JSONValue, _ reading: inout SpecReading) -> JSONPointer? {
        if scope.items.isEmpty {
            reading.note(
                .notAvailable,
                "\"$item\" is not available here: only a map has a current element. "
                    + "Take a value from another operation with \"$get\".")
        }
        return PointerReader.pointer(value, &reading)
    }

    private func itemOwner(_ value: JSONValue, _ reading: inout SpecReading) -> String? {
        guard let name = reading.string(value, "the name that a map around gives its element") else {
            return nil
        }
        let known = scope.items.compactMap(\.self)
        if !scope.items.isEmpty && !known.contains(name) {
            reading.note(
                .unknownReference,
                "No map around this calls its element \"\(String(quotable: name))\" with \"as\".",
                suggestion: reading.nearest(to: name, in: known))
        }
        return name
    }

    /// `{word: name, "at": …, "default": …}`
    private func named(
        _ object: JSONObject, _ subject: String, _ alsoKnown: [String], _ word: String,
        in document: JSONPointer = .root,
        _ reading: inout SpecReading, _ source: (inout SpecReading, JSONValue) -> Binding.Source?
    ) -> Binding.Reference? {
        var found: Binding.Source?
        var at = document
        var fallback: JSONValue?
        reading.members(of: object, subject, known: [word, "at", "default"] + alsoKnown) {
            reading, name, value in
            switch name {
            case word: found = source(&reading, value)
            case "at":
                at =
                    (document == .root
                        ? PointerReader.pointer(value, &reading) : PointerReader.place(value, &reading)) ?? at
            case "default": fallback = value
            default: return alsoKnown.contains(name)
            }
            return true
        }
        return found.map { Binding.Reference($0, at: at, fallback: fallback) }
    }

    private func parameter(_ value: JSONValue, _ reading: inout SpecReading) -> Binding.Source? {
        guard let parameters = reading.parameters else {
            reading.note(
                .notAvailable,
                "\"$param\" is not available here: a job has no parameters, only the body of a template has. "
                    + "Put the value itself here, or take it from another operation with \"$get\".")
            return nil
        }
        guard let name = reading.string(value, "the name of a parameter") else { return nil }
        if !parameters.contains(name) {
            reading.note(
                .unknownReference, "The template has no parameter \"\(String(quotable: name))\".",
                suggestion: reading.nearest(to: name, in: parameters.all))
        }
        return .parameter(name)
    }

    private func fact(_ value: JSONValue, _ reading: inout SpecReading) -> Binding.Source? {
        if value == .string("path") {
            reading.note(
                .unknownWord, "The address of the operation is \"operation\".", suggestion: "operation")
            return nil
        }
        let fact = reading.word(value, Binding.JobFact.self)
        if fact == .run, scope.repeats.isEmpty {
            reading.note(
                .notAvailable,
                "\"run\" is not available here: only what a repeat runs has a number of its run.")
        }
        return fact.map(Binding.Source.job)
    }

    /// The delivery that made the job; there is one, so that its name is empty.
    private func delivery(_ value: JSONValue, _ reading: inout SpecReading) -> Binding.Source? {
        if !reading.takesHook {
            reading.note(
                .notAvailable,
                "\"$hook\" is not available here: only the job of a hook, and the \"params\" of its template, take "
                    + "values of a delivery.")
        }
        if let text = reading.string(value, "\"\""), !text.utf8.isEmpty {
            reading.note(
                .unknownReference, "\"$hook\" names nothing; the place in the delivery is \"at\".",
                suggestion: #""$hook": "", "at": "/body/id""#)
        }
        return .hook
    }

    /// The name of a repeat, or an empty text for the innermost one.
    private func previous(_ value: JSONValue, _ reading: inout SpecReading) -> Binding.Source? {
        let expected = "the name of a repeat around, or \"\" for the innermost"
        guard let name = reading.string(value, expected) else { return nil }
        if scope.repeats.isEmpty {
            reading.note(
                .notAvailable,
                "\"$previous\" is not available here: only what a repeat runs has a run before it. "
                    + "Take a value from another operation with \"$get\".")
        } else if name.utf8.first == UInt8(ascii: "/") {
            reading.note(
                .unknownReference, "\"$previous\" names \(expected); the place in its result is \"at\".",
                suggestion: #""$previous": "", "at": "\#(String(quotable: name))""#)
        } else if !name.utf8.isEmpty, !scope.repeats.contains(where: name.hasSameBytes) {
            reading.note(
                .unknownReference, "No repeat around this has the name \"\(String(quotable: name))\".",
                suggestion: reading.nearest(to: name, in: scope.repeats))
        }
        return .previous(of: name.utf8.isEmpty ? nil : name)
    }
}
