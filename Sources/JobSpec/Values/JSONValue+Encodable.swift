internal import FoundationEssentials
internal import StrictJSON

extension JSONValue {
    /// The JSON form of `value`, with dates as in RFC 3339, and members in the order of their names.
    /// - Throws: when the value cannot be encoded.
    init(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .iso8601
        encoder.outputFormatting = .sortedKeys
        self = try JSONParser.parse(Array(encoder.encode(value)))
    }
}
