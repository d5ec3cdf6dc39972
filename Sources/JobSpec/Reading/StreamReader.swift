internal import StrictJSON

/// Reads how an answer is read while it arrives.
enum StreamReader {
    static func stream(_ value: JSONValue, _ scope: SpecScope, _ reading: inout SpecReading) -> StreamSpec? {
        if case .bool(let isOn) = value { return isOn ? .content : nil }
        var until: JSONPredicate?
        reading.members(of: value, "stream", known: ["until"]) { reading, name, value in
            guard name == "until" else { return false }
            until = PredicateReader(scope).predicate(value, on: .item, &reading)
            return true
        }
        return until.map { .events(until: $0) } ?? .content
    }
}
