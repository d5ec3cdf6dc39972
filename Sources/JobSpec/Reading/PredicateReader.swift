internal import JobKit
internal import StrictJSON

struct PredicateReader {
    let scope: SpecScope

    init(_ scope: SpecScope) { self.scope = scope }

    private static let comparisons = [
        "equals", "not_equals", "greater", "less", "in", "exists", "matches", "starts_with", "contains",
    ]

    /// The document that `at` alone points into.
    enum Document {
        case nothing
        /// The operation's own result.
        case result
        /// An element of a list.
        case item
    }

    func predicate(_ value: JSONValue, on document: Document, _ reading: inout SpecReading) -> JSONPredicate?
    {
        guard case .object(let object) = value else {
            let text = value.string ?? ""
            let isExpression = text.utf8.contains { " =<>!.$".utf8.contains($0) }
            let word = text.isEmpty || isExpression ? "done" : String(quotable: text)
            let place =
                switch document {
                case .nothing: #""$get": "<operation>", "at": "/body/status""#
                case .result: #""at": "/body/status""#
                case .item: #""at": "/status""#
                }
            reading.wrongType(
                value, "an object", suggestion: "{\(place), \"equals\": \"\(word)\"}",
                remedy: isExpression ? "It names a place and what must be there." : nil)
            return nil
        }
        guard scope.nesting < reading.limits.nestingMax else {
            reading.note(.tooDeep, "Predicates are nested more than \(reading.limits.nestingMax) deep.")
            return nil
        }
        guard let combination = ["all", "any", "not"].first(where: { object[$0] != nil }) else {
            return comparison(object, on: document, &reading)
        }
        let inner = PredicateReader(scope.nested)
        var result: JSONPredicate?
        reading.members(of: object, "A predicate with \"\(combination)\"", known: [combination]) {
            reading, name, value in
            guard name == combination else { return false }
            switch name {
            case "all": result = .all(inner.predicates(value, on: document, &reading))
            case "any": result = .any(inner.predicates(value, on: document, &reading))
            default: result = inner.predicate(value, on: document, &reading).map(JSONPredicate.not)
            }
            return true
        }
        return result
    }

    private func predicates(_ value: JSONValue, on document: Document, _ reading: inout SpecReading)
        -> [JSONPredicate]
    {
        var list: [JSONPredicate] = []
        reading.elements(of: value) { reading, element in
            if let predicate = predicate(element, on: document, &reading) { list.append(predicate) }
        }
        return list
    }

    private func comparison(_ object: JSONObject, on document: Document, _ reading: inout SpecReading)
        -> JSONPredicate?
    {
        let subject: JSONPredicate.Subject
        if BindingReader.Word.references.contains(where: { object[$0.rawValue] != nil }) {
            guard
                let reference = SourceReader(scope).reference(
                    object, "A predicate", alsoKnown: Self.comparisons, &reading)
            else {
                return nil
            }
            subject = .reference(reference)
        } else {
            var at: JSONPointer?
            reading.members(
                of: object, "A predicate",
                known: ["at"] + BindingReader.Word.references.map(\.rawValue) + ["all", "any", "not"]
                    + Self.comparisons
            ) {
                (reading, name, value) in
                if name == "at" {
                    at =
                        document == .item
                        ? PointerReader.pointer(value, &reading) : PointerReader.place(value, &reading)
                }
                return name == "at" || Self.comparisons.contains(name)
            }
            if document == .nothing {
                reading.missing(
                    "$get", "There is no result at hand here; say of which operation.",
                    suggestion: "\"$get\": \"<operation>\"")
            } else if object["at"] == nil {
                reading.missing(
                    "at", "Say which place is compared.",
                    suggestion: document == .item ? #""at": "/status""# : #""at": "/body/status""#)
            }
            subject = .at(at ?? .root)
        }
        let found = object.members.compactMap { member in
            !reading.isCut && Self.comparisons.contains(member.name)
                ? reading.inside(member.name) { comparison(member.name, member.value, &$0) } : nil
        }
        if !object.members.contains(where: { Self.comparisons.contains($0.name) }) {
            reading.missing(
                "equals", "Say how the place is compared: \(Self.comparisons.joined(separator: ", ")).")
        }
        let predicates = found.map { JSONPredicate.compare(subject, $0) }
        return predicates.count == 1 ? predicates[0] : .all(predicates)
    }

    private func comparison(_ name: String, _ value: JSONValue, _ reading: inout SpecReading) -> JSONPredicate
        .Comparison?
    {
        if BindingReader.mentionsBinding(value) {
            reading.note(
                .notAvailable,
                "What a place is compared with is a constant; it cannot be taken from a result.")
        }
        switch name {
        case "equals": return .equals(value)
        case "not_equals": return .notEquals(value)
        case "greater": return ordered(value, &reading).map(JSONPredicate.Comparison.greater)
        case "less": return ordered(value, &reading).map(JSONPredicate.Comparison.less)
        case "contains": return .contains(value)
        case "exists": return reading.bool(value).map(JSONPredicate.Comparison.exists)
        case "starts_with": return reading.string(value).map(JSONPredicate.Comparison.startsWith)
        case "in":
            guard case .array(let elements) = value else {
                reading.wrongType(value, "a list of values")
                return nil
            }
            return .in(ValueList(elements))
        default:
            guard let text = reading.string(value, "a pattern") else { return nil }
            do {
                _ = try Pattern(text)
            } catch {
                reading.note(.badPattern, error.detail)
            }
            return .matches(text)
        }
    }

    /// A value of an ordered type.
    private func ordered(_ value: JSONValue, _ reading: inout SpecReading) -> JSONValue? {
        switch value {
        case .number, .string: return value
        default:
            reading.wrongType(value, "a number or a string")
            return nil
        }
    }
}
