internal import JobKit
internal import StrictJSON

/// Reads when a group succeeds.
enum CompletionReader {
    private enum CompletionWord: String, CaseIterable { case all, any }

    /// - Parameter group: the whole group, whose members are counted.
    static func rule(_ value: JSONValue, _ group: JSONObject, _ reading: inout SpecReading) -> GroupCompletion
        .Rule?
    {
        guard case .object(let object) = value else {
            return reading.word(value, CompletionWord.self).map { $0 == .all ? .all : .any }
        }
        var rule: GroupCompletion.Rule?
        reading.members(of: object, "succeed_when", known: ["at_least", "tolerate"]) { reading, name, value in
            switch name {
            case "at_least":
                let most = group["operations"]?.array?.count ?? EachSpec.itemsMax
                rule = reading.int(value, in: 1...max(1, most)).map(GroupCompletion.Rule.atLeast)
            case "tolerate": rule = tolerance(value, &reading)
            default: return false
            }
            return true
        }
        if object.count > 1 { reading.note(.conflict, "Say \"at_least\" or \"tolerate\", not both.") }
        if object.isEmpty {
            reading.missing(
                "at_least", "Say how many must succeed, or how many may fail.", suggestion: #""at_least": 1"#)
        }
        return rule
    }

    private static func tolerance(_ value: JSONValue, _ reading: inout SpecReading) -> GroupCompletion.Rule? {
        var count: Int?
        var percent: Double?
        reading.members(of: value, "tolerate", known: ["count", "percent"]) { reading, name, value in
            switch name {
            case "count": count = reading.int(value, in: 0...EachSpec.itemsMax)
            case "percent":
                percent = reading.number(value, in: 0...100, limits: "The share is 0 to 100 percent.")
            default: return false
            }
            return true
        }
        if value.object?.isEmpty == true {
            reading.missing("count", "Say how many failures are let pass.", suggestion: #""count": 1"#)
        }
        return .tolerate(count: count, percent: percent)
    }
}
