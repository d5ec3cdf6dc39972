/// The address of a value inside a JSON document (RFC 6901).
public struct JSONPointer: Sendable, CustomStringConvertible {
    /// The names and indices on the way, unescaped, outermost first.
    public let tokens: [String]

    /// The whole document, written as the empty text.
    public static let root = JSONPointer(tokens: [])

    /// An address with these unescaped names and indices.
    public init(tokens: [String]) { self.tokens = tokens }

    /// Parses a pointer: empty, or `/` before each token, with `~1` for `/` and `~0` for `~`; nil otherwise.
    public init?(_ text: String) {
        let bytes = text.utf8.span
        guard !bytes.isEmpty else {
            self = .root
            return
        }
        guard bytes[0] == UInt8(ascii: "/") else { return nil }
        var tokens: [String] = []
        var token: [UInt8] = []
        var index = 1
        while index < bytes.count {
            let byte = bytes[index]
            index += 1
            switch byte {
            case UInt8(ascii: "/"):
                tokens.append(String(decoding: token, as: UTF8.self))
                token.removeAll(keepingCapacity: true)
            case UInt8(ascii: "~"):
                guard index < bytes.count else { return nil }
                switch bytes[index] {
                case UInt8(ascii: "0"): token.append(UInt8(ascii: "~"))
                case UInt8(ascii: "1"): token.append(UInt8(ascii: "/"))
                default: return nil
                }
                index += 1
            default: token.append(byte)
            }
        }
        tokens.append(String(decoding: token, as: UTF8.self))
        self.init(tokens: tokens)
    }

    /// The address as text, escaped.
    public var description: String {
        var bytes: [UInt8] = []
        for token in tokens {
            bytes.append(UInt8(ascii: "/"))
            for byte in token.utf8 {
                switch byte {
                case UInt8(ascii: "~"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "0")]
                case UInt8(ascii: "/"): bytes += [UInt8(ascii: "~"), UInt8(ascii: "1")]
                default: bytes.append(byte)
                }
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The address of a member of the object at this address.
    public func appending(_ name: String) -> JSONPointer { JSONPointer(tokens: tokens + [name]) }

    /// The address of an element of the array at this address, counted from 0.
    public func appending(_ index: Int) -> JSONPointer { appending(String(index)) }

    /// The address of `relative`, resolved against this one.
    public func appending(_ relative: JSONPointer) -> JSONPointer {
        JSONPointer(tokens: tokens + relative.tokens)
    }

    /// The value at this address; nil when there is none.
    ///
    /// Names are compared as bytes. An index is decimal without leading zeros; `-` (past the end) matches nothing.
    public func resolve(in value: JSONValue) -> JSONValue? {
        var place = value
        for token in tokens {
            guard let next = place.child(token) else { return nil }
            place = next
        }
        return place
    }

    fileprivate static func arrayIndex(_ token: String) -> Int? {
        let digits = token.utf8
        guard let first = digits.first, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        if first == 0x30 && digits.count > 1 { return nil }
        return Int(token)
    }
}

extension JSONPointer: Hashable {
    /// Equal when the tokens are equal byte for byte.
    public static func == (left: JSONPointer, right: JSONPointer) -> Bool {
        left.tokens.count == right.tokens.count
            && zip(left.tokens, right.tokens).allSatisfy { $0.hasSameBytes(as: $1) }
    }

    /// Feeds the tokens to the hasher.
    public func hash(into hasher: inout Hasher) { hasher.combine(tokens) }
}

extension JSONValue {
    /// The member or the element that one token of a pointer names; nil when there is none.
    package func child(_ token: String) -> JSONValue? {
        switch self {
        case .object(let object): return object[token]
        case .array(let elements):
            guard let index = JSONPointer.arrayIndex(token), index < elements.count else { return nil }
            return elements[index]
        case .null, .bool, .number, .string: return nil
        }
    }
}
