internal import StrictJSON

/// Declarative transforms.
extension SpecReading {
    private enum ReductionWord: String, CaseIterable {
        case count, sum, min, max, join, first, last, merge
    }

    mutating func map(_ object: JSONObject) -> MapSpec? {
        guard let input = object["input"] else {
            missing(
                "input", "A map says what it begins with.",
                suggestion: #""input": {"$get": "list", "at": "/body/items"}"#)
            return nil
        }
        isRescued = object["rescue"] != nil
        defer { isRescued = false }
        var map = MapSpec(input: inside("input") { $0.binding(input) })
        items.append(nil)
        map.filter = object["where"].flatMap { value in
            inside("where") { $0.predicate(value, on: .item) }
        }
        map.each = object["each"].map { value in inside("each") { $0.binding(value) } }
        map.result = object["to"].map { value in inside("to") { $0.binding(value) } }
        items.removeLast()
        map.flattens = object["flatten"].flatMap { value in inside("flatten") { $0.bool(value) } } ?? false
        map.reduction = object["reduce"].flatMap { value in inside("reduce") { $0.reduction(value) } }
        map.rescue = object["rescue"].map { value in inside("rescue") { $0.binding(value) } }
        if map.needsList, case .literal(let literal) = map.input, literal.array == nil {
            inside("input") { $0.wrongType(literal, "a list, or a binding that gives one") }
        }
        return map
    }

    private mutating func reduction(_ value: JSONValue) -> MapSpec.Reduction? {
        guard case .object(let object) = value else {
            return word(value, ReductionWord.self).map { Self.reduction($0, separator: "") }
        }
        var found: ReductionWord?
        var separator = ""
        members(of: object, "reduce", known: ["by", "separator"]) { reading, name, value in
            switch name {
            case "by": found = reading.word(value)
            case "separator": separator = reading.string(value, bytes: 0...64) ?? ""
            default: return false
            }
            return true
        }
        if object["by"] == nil {
            missing("by", "Say how the elements are made one value.", suggestion: #""by": "join""#)
        }
        guard let found else { return nil }
        if found != .join, object["separator"] != nil {
            note(member: "separator", .conflict, "\"separator\" goes with \"join\".")
        }
        return Self.reduction(found, separator: separator)
    }

    private static func reduction(_ word: ReductionWord, separator: String) -> MapSpec.Reduction {
        switch word {
        case .count: .count
        case .sum: .sum
        case .min: .min
        case .max: .max
        case .join: .join(separator: separator)
        case .first: .first
        case .last: .last
        case .merge: .merge
        }
    }
}
