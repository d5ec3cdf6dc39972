import FoundationEssentials
import JobKit
import JobSpec
import StrictJSON

/// The JSON form of parameters and results: that of `Codable`, with dates as in RFC 3339, to a millisecond.
enum DurableCoding {
    static func encode(_ value: some Encodable) throws -> JSONValue {
        let encoder = JSONEncoder()
        encoder.dateEncodingStrategy = .custom { date, encoder in
            let milliseconds = (date.timeIntervalSince1970 * 1_000).rounded()
            var container = encoder.singleValueContainer()
            try container.encode(Timestamp(milliseconds: Int64(clamping: Int(milliseconds))).description)
        }
        return try JSONParser.parse(Array(encoder.encode(value)))
    }

    static func decode<Value: Decodable>(_ type: Value.Type, from json: [UInt8]) throws -> Value {
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

extension SpecProblem {
    /// The problem of parameters that cannot be decoded.
    /// - Parameter place: the position of the parameters.
    init(_ error: any Error, at place: JSONPointer) {
        guard let error = error as? DecodingError else {
            self.init(
                pointer: place, code: SpecProblemCode.wrongType.rawValue, detail: String(describing: error))
            return
        }
        switch error {
        case .keyNotFound(let key, let context):
            self.init(
                pointer: place.appending(context.codingPath), code: SpecProblemCode.missingMember.rawValue,
                detail: "\"\(key.stringValue)\" is missing.")
        case .typeMismatch(_, let context), .valueNotFound(_, let context):
            self.init(
                pointer: place.appending(context.codingPath), code: SpecProblemCode.wrongType.rawValue,
                detail: context.debugDescription)
        case .dataCorrupted(let context):
            self.init(
                pointer: place.appending(context.codingPath), code: SpecProblemCode.outOfRange.rawValue,
                detail: context.debugDescription)
        @unknown default:
            self.init(
                pointer: place, code: SpecProblemCode.wrongType.rawValue, detail: String(describing: error))
        }
    }
}

extension JSONPointer {
    fileprivate func appending(_ path: [any CodingKey]) -> JSONPointer {
        path.reduce(self) { pointer, key in
            key.intValue.map { pointer.appending($0) } ?? pointer.appending(key.stringValue)
        }
    }
}
