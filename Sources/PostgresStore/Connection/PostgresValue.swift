import JobKit

/// A value for a parameter of a statement. It is sent in PostgreSQL's binary form, with its type.
enum PostgresValue: Sendable {
    case integer(Int64?)
    case text(String?)
    case bytes([UInt8]?)
    case id(JobID?)
    /// A column of several rows, for `unnest` and `= ANY`.
    case integers([Int64?])
    case texts([String?])
    case blobs([[UInt8]?])
    case ids([JobID])
    case optionalIDs([JobID?])
    case booleans([Bool])

    /// A text as bytes: PostgreSQL's own texts cannot hold U+0000, and are compared by the rules of a language.
    static func raw(_ text: String?) -> PostgresValue { .bytes(text.map { Array($0.utf8) }) }

    /// A column of texts as bytes.
    static func raws(_ texts: [String?]) -> PostgresValue {
        .blobs(texts.map { $0.map { Array($0.utf8) } })
    }

    /// A time, in milliseconds since 1970.
    static func time(_ time: Timestamp?) -> PostgresValue { .integer(time?.milliseconds) }

    /// A column of times.
    static func times(_ times: [Timestamp?]) -> PostgresValue { .integers(times.map { $0?.milliseconds }) }

    /// The number of a type in every PostgreSQL (`pg_type.oid`).
    private enum TypeNumber {
        static let bool: UInt32 = 16
        static let bytea: UInt32 = 17
        static let int8: UInt32 = 20
        static let text: UInt32 = 25
        static let uuid: UInt32 = 2950
    }

    /// The type of the parameter.
    var type: UInt32 {
        switch self {
        case .integer: TypeNumber.int8
        case .text: TypeNumber.text
        case .bytes: TypeNumber.bytea
        case .id: TypeNumber.uuid
        case .integers: 1016
        case .texts: 1009
        case .blobs: 1001
        case .ids, .optionalIDs: 2951
        case .booleans: 1000
        }
    }

    /// The value that all elements of a column have; nil when they differ, or the column has no other form.
    var common: PostgresValue? {
        switch self {
        case .integers(let list): Self.common(list).map { .integer($0) }
        case .texts(let list): Self.common(list).map { .text($0) }
        case .blobs(let list): Self.common(list).map { .bytes($0) }
        default: nil
        }
    }

    private static func common<Element: Equatable>(_ list: [Element?]) -> Element?? {
        guard let first = list.first else { return nil }
        return list.allSatisfy { $0 == first } ? .some(first) : nil
    }

    /// Appends the value; false when it is NULL.
    func append(to bytes: inout [UInt8]) -> Bool {
        switch self {
        case .integer(let number):
            guard let number else { return false }
            bytes.append(number: UInt64(bitPattern: number))
        case .text(let text):
            guard let text else { return false }
            bytes += text.utf8
        case .bytes(let content):
            guard let content else { return false }
            bytes += content
        case .id(let id):
            guard let id else { return false }
            bytes.append(id: id)
        case .integers(let list):
            Self.append(list, of: TypeNumber.int8, to: &bytes) { $1.append(number: UInt64(bitPattern: $0)) }
        case .texts(let list): Self.append(list, of: TypeNumber.text, to: &bytes) { $1 += $0.utf8 }
        case .blobs(let list): Self.append(list, of: TypeNumber.bytea, to: &bytes) { $1 += $0 }
        case .ids(let list): Self.append(list, of: TypeNumber.uuid, to: &bytes) { $1.append(id: $0) }
        case .optionalIDs(let list): Self.append(list, of: TypeNumber.uuid, to: &bytes) { $1.append(id: $0) }
        case .booleans(let list): Self.append(list, of: TypeNumber.bool, to: &bytes) { $1.append($0 ? 1 : 0) }
        }
        return true
    }

    /// Appends an array of one dimension as `array_recv` reads it: the number of dimensions, whether there are NULLs,
    /// the type, the length, the first index, and then each element behind its length.
    private static func append<Element>(
        _ list: [Element?], of type: UInt32, to bytes: inout [UInt8],
        _ append: (Element, inout [UInt8]) -> Void
    ) {
        bytes.append(number: UInt32(list.isEmpty ? 0 : 1))
        bytes.append(number: UInt32(1))
        bytes.append(number: type)
        if list.isEmpty { return }
        bytes.append(number: UInt32(list.count))
        bytes.append(number: UInt32(1))
        for element in list {
            let start = bytes.count
            bytes.append(number: UInt32.max)
            guard let element else { continue }
            append(element, &bytes)
            let length = UInt32(bytes.count - start - 4)
            for place in 0..<4 {
                bytes[start + place] = UInt8(truncatingIfNeeded: length >> (24 - 8 * place))
            }
        }
    }
}

extension [UInt8] {
    /// Appends a number, the highest byte first.
    mutating func append(number: some FixedWidthInteger) {
        unsafe Swift.withUnsafeBytes(of: number.bigEndian) { unsafe append(contentsOf: $0) }
    }

    fileprivate mutating func append(id: JobID) {
        append(number: id.high)
        append(number: id.low)
    }
}

extension PostgresValue {
    /// The end of a statement that selects rows before an id, the newest first, with its values.
    static func newest(
        before id: (some PrefixedID)?, limit: Int
    ) -> (filter: String, values: [PostgresValue]) {
        let limit = PostgresValue.integer(Int64(limit))
        guard let id else { return ("ORDER BY id DESC LIMIT $1", [limit]) }
        return ("WHERE id < $2 ORDER BY id DESC LIMIT $1", [limit, .id(id.bits)])
    }
}
