internal import JobKit
internal import StrictJSON

/// Reads which place of several results is gathered.
enum GatheringReader {
    /// `{"at": "/body/items", "default": []}`
    static func place(_ value: JSONValue, _ reading: inout SpecReading) -> Gathering? {
        guard case .object(let object) = value else {
            let place = value.string ?? "/body/items"
            reading.wrongType(value, "an object", suggestion: #"{"at": "\#(String(quotable: place))"}"#)
            return nil
        }
        var gathering = Gathering()
        reading.members(of: object, "What is gathered", known: ["at", "default"]) { reading, name, value in
            switch name {
            case "at": gathering.at = PointerReader.place(value, &reading) ?? gathering.at
            case "default": gathering.fallback = value
            default: return false
            }
            return true
        }
        if object["at"] == nil {
            reading.missing("at", "Say which place of each result.", suggestion: #""at": "/body/items""#)
        }
        return gathering
    }

    /// A place, or `true` for the whole content. Nil for `false`, and for a faulty one.
    static func placeOrAll(_ value: JSONValue, _ reading: inout SpecReading) -> Gathering? {
        if case .bool(let all) = value { return all ? Gathering() : nil }
        return place(value, &reading)
    }
}
