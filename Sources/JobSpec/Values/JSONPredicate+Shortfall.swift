internal import JobKit
internal import StrictJSON

extension JSONPredicate {
    /// The position of `document` that violates it, as a part of a sentence: `/body/status is "pending" and must equal
    /// "done"`; nil when the document satisfies it as far as can be determined without other operations.
    /// - Throws: `evaluation.too_long`.
    func shortfall(of document: ResultDocument, _ meter: StepMeter) throws(AOperationError) -> String? {
        switch self {
        case .all(let parts):
            for part in parts { if let found = try part.shortfall(of: document, meter) { return found } }
            return nil
        case .any(let parts):
            var found: [String] = []
            for part in parts {
                guard let shortfall = try part.shortfall(of: document, meter) else { return nil }
                if found.count < 3 { found.append(shortfall) }
            }
            return found.isEmpty ? nil : found.joined(separator: ", and ")
        case .compare(.at(let pointer), let comparison):
            let value = try pointer.resolve(in: document.value, meter)
            if document.hides(pointer), try comparison.holds(of: nil, meter) {
                return document.hiddenWords(pointer)
            }
            guard try !comparison.holds(of: value, meter) else { return nil }
            return Self.what(value, at: pointer, in: document.value) + " and must " + comparison.words
        case .not, .compare(.reference, _): return nil
        }
    }

    private static func what(_ value: JSONValue?, at pointer: JSONPointer, in document: JSONValue) -> String {
        let place = pointer.tokens.isEmpty ? "the result" : String(quotable: pointer.description)
        if let value { return "\(place) is \(value.brief)" }
        return "\(place) is not there" + (pointer.absence(in: document).map { " (\($0))" } ?? "")
    }
}

extension JSONPredicate.Comparison {
    /// The demand, to follow "must".
    fileprivate var words: String {
        switch self {
        case .equals(let value): "equal \(value.brief)"
        case .notEquals(let value): "not equal \(value.brief)"
        case .greater(let value): "be greater than \(value.brief)"
        case .less(let value): "be less than \(value.brief)"
        case .in(let list): "be one of \(list.values.count) values"
        case .exists(let wanted): wanted ? "be there" : "not be there"
        case .startsWith(let prefix): "start with \(JSONValue.string(prefix).brief)"
        case .contains(let part): "contain \(part.brief)"
        case .matches(let pattern): "match \(JSONValue.string(pattern).brief)"
        }
    }
}

extension JSONValue {
    /// The value for a sentence: simple ones unchanged, long texts truncated, others by their type.
    fileprivate var brief: String {
        switch self {
        case .string(let text): "\"\(String(quotable: text))\""
        case .number(let number): String(quotable: number.text)
        case .bool(let truth): truth ? "true" : "false"
        case .null: "null"
        case .array, .object: kindName
        }
    }
}
