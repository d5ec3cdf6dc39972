internal import FoundationEssentials
internal import JobKit
package import StrictJSON

extension JSONValue {
    /// The JSON form of `value`, with dates as in RFC 3339, to a millisecond, and members in the order of their names.
    /// - Throws: when the value cannot be encoded.
    package init(encoding value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            let milliseconds = Int64(exactly: (date.timeIntervalSince1970 * 1_000).rounded())
            guard let milliseconds else {
                throw EncodingError.invalidValue(
                    date,
                    .init(codingPath: encoder.codingPath, debugDescription: "The date is out of range."))
            }
            var container = encoder.singleValueContainer()
            try container.encode(Timestamp(milliseconds: milliseconds).description)
        }
        encoder.outputFormatting = .sortedKeys
        self = try JSONParser.parse(Array(encoder.encode(value)))
    }

    /// The value that `json` is the form of.
    /// - Throws: `DecodingError` when it is no JSON, or that of another type.
    package static func decode<Value: Decodable>(_ type: Value.Type, from json: [UInt8]) throws -> Value {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .custom { decoder in
            let container = try decoder.singleValueContainer()
            guard let time = Timestamp(try container.decode(String.self)) else {
                throw DecodingError.dataCorruptedError(
                    in: container, debugDescription: "This is no date as in RFC 3339.")
            }
            return Date(timeIntervalSince1970: Double(time.milliseconds) / 1_000)
        }
        return try decoder.decode(type, from: Data(json))
    }
}
