internal import HTTPMessage
internal import StrictJSON

/// Questions about documents, and what is expected of answers.
extension SpecReading {
    private static let comparisons = [
        "equals", "not_equals", "greater", "less", "in", "exists", "matches", "starts_with", "contains",
    ]

    /// What `at` alone looks into.
    enum Document {
        /// There is none at hand.
        case nothing
        /// The operation's own result.
        case result
        /// An element of a list.
        case item
    }

    /// A predicate.
    mutating func predicate(_ value: JSONValue, on document: Document) -> Predicate? {
        guard case .object(let object) = value else {
            let word = Self.quotable(value.string ?? "done")
            let place =
                switch document {
                case .nothing: #""$get": "<operation>", "at": "/body/status""#
                case .result: #""at": "/body/status""#
                case .item: #""at": "/status""#
                }
            wrongType(value, "an object", suggestion: "{\(place), \"equals\": \"\(word)\"}")
            return nil
        }
        guard nesting < limits.nestingMax else {
            note(.tooDeep, "Predicates are nested more than \(limits.nestingMax) deep.")
            return nil
        }
        nesting += 1
        defer { nesting -= 1 }
        guard let combination = ["all", "any", "not"].first(where: { object[$0] != nil }) else {
            return comparison(object, on: document)
        }
        var result: Predicate?
        members(of: object, "A predicate with \"\(combination)\"", known: [combination]) {
            reading, name, value in
            guard name == combination else { return false }
            switch name {
            case "all": result = .all(reading.predicates(value, on: document))
            case "any": result = .any(reading.predicates(value, on: document))
            default: result = reading.predicate(value, on: document).map(Predicate.not)
            }
            return true
        }
        return result
    }

    private mutating func predicates(_ value: JSONValue, on document: Document) -> [Predicate] {
        var list: [Predicate] = []
        elements(of: value) { reading, element in
            if let predicate = reading.predicate(element, on: document) { list.append(predicate) }
        }
        return list
    }

    private mutating func comparison(_ object: JSONObject, on document: Document) -> Predicate? {
        let subject: Predicate.Subject
        if BindingWord.references.contains(where: { object[$0.rawValue] != nil }) {
            guard let reference = reference(object, "A predicate", alsoKnown: Self.comparisons) else {
                return nil
            }
            subject = .reference(reference)
        } else {
            var at: JSONPointer?
            members(
                of: object, "A predicate",
                known: ["at", "$get", "$item", "$param", "$job", "all", "any", "not"] + Self.comparisons
            ) {
                (reading, name, value) in
                if name == "at" { at = document == .item ? reading.pointer(value) : reading.place(value) }
                return name == "at" || Self.comparisons.contains(name)
            }
            if document == .nothing {
                missing(
                    "$get", "There is no result at hand here; say of which operation.",
                    suggestion: "\"$get\": \"<operation>\"")
            } else if object["at"] == nil {
                missing(
                    "at", "Say which place is compared.",
                    suggestion: document == .item ? #""at": "/status""# : #""at": "/body/status""#)
            }
            subject = .at(at ?? .root)
        }
        let found = object.members.compactMap { member in
            Self.comparisons.contains(member.name)
                ? inside(member.name) { $0.comparison(member.name, member.value) } : nil
        }
        if !object.members.contains(where: { Self.comparisons.contains($0.name) }) {
            missing("equals", "Say how the place is compared: \(Self.comparisons.joined(separator: ", ")).")
        }
        let predicates = found.map { Predicate.compare(subject, $0) }
        return predicates.count == 1 ? predicates[0] : .all(predicates)
    }

    private mutating func comparison(_ name: String, _ value: JSONValue) -> Predicate.Comparison? {
        if Self.mentionsBinding(value) {
            note(
                .notAvailable,
                "What a place is compared with is a constant; it cannot be taken from a result.")
        }
        switch name {
        case "equals": return .equals(value)
        case "not_equals": return .notEquals(value)
        case "greater": return ordered(value).map(Predicate.Comparison.greater)
        case "less": return ordered(value).map(Predicate.Comparison.less)
        case "contains": return .contains(value)
        case "exists": return bool(value).map(Predicate.Comparison.exists)
        case "starts_with": return string(value).map(Predicate.Comparison.startsWith)
        case "in":
            guard case .array(let elements) = value else {
                wrongType(value, "a list of values")
                return nil
            }
            return .in(elements)
        default:
            guard let text = string(value, "a pattern") else { return nil }
            do {
                _ = try Pattern(text)
            } catch {
                note(.badPattern, error.detail)
            }
            return .matches(text)
        }
    }

    /// A value that has an order.
    private mutating func ordered(_ value: JSONValue) -> JSONValue? {
        switch value {
        case .number, .string: return value
        default:
            wrongType(value, "a number or a string")
            return nil
        }
    }

    // MARK: Answers

    /// What an answer must be like.
    mutating func expectation(_ value: JSONValue) -> Expectation {
        var expectation = Expectation()
        members(of: value, "expect", known: ["status", "content_type", "that"]) { reading, name, value in
            switch name {
            case "status": expectation.statuses = reading.statuses(value)
            case "content_type": expectation.contentTypes = reading.mediaTypes(value)
            case "that": expectation.that = reading.predicate(value, on: .result)
            default: return false
            }
            return true
        }
        return expectation
    }

    private mutating func statuses(_ value: JSONValue) -> [ClosedRange<Int>] {
        guard case .array(let elements) = value else { return status(value).map { [$0] } ?? [] }
        if elements.isEmpty {
            note(.outOfRange, "List at least one status, or leave \"status\" out for any 2xx.")
        }
        var ranges: [ClosedRange<Int>] = []
        self.elements(of: value) { reading, element in
            if let range = reading.status(element) { ranges.append(range) }
        }
        return ranges
    }

    private mutating func status(_ value: JSONValue) -> ClosedRange<Int>? {
        if case .number = value { return int(value, in: 100...999).map { $0...$0 } }
        guard let text = string(value, "a status such as 200 or \"2xx\"") else { return nil }
        let bytes = Array(text.utf8)
        guard bytes.count == 3, bytes[1] == UInt8(ascii: "x"), bytes[2] == bytes[1],
            (UInt8(ascii: "1")...UInt8(ascii: "5")).contains(bytes[0])
        else {
            let number = Int(text).flatMap { (100...999).contains($0) ? text : nil }
            note(
                .unknownWord, "A status is a number such as 200, or a class: \"1xx\" to \"5xx\".",
                suggestion: number
                    ?? SpellingSuggestion.nearest(
                        to: text.lowercased(), in: ["1xx", "2xx", "3xx", "4xx", "5xx"]))
            return nil
        }
        let first = Int(bytes[0] - UInt8(ascii: "0")) * 100
        // What lies above class 5 counts as class 5 (RFC 9110 §15).
        return first == 500 ? 500...999 : first...(first + 99)
    }

    private mutating func mediaTypes(_ value: JSONValue) -> [MediaType] {
        guard case .array(let elements) = value else { return mediaType(value).map { [$0] } ?? [] }
        if elements.isEmpty {
            note(.outOfRange, "List at least one content type, or leave \"content_type\" out for any.")
        }
        var types: [MediaType] = []
        self.elements(of: value) { reading, element in
            if let type = reading.mediaType(element) { types.append(type) }
        }
        return types
    }

    mutating func mediaType(_ value: JSONValue) -> MediaType? {
        guard let text = string(value, bytes: 1...255) else { return nil }
        guard let type = MediaType(text), type.type != "*" || type.subtype.utf8.first == UInt8(ascii: "*")
        else {
            let words = ["json": "application/json", "html": "text/html", "xml": "application/xml"]
            note(
                .unknownWord,
                "A content type is written like \"application/json\", \"text/*\", \"application/*+json\" "
                    + "or \"text/plain; charset=utf-8\".",
                suggestion: words[text.lowercased()])
            return nil
        }
        return type
    }
}
