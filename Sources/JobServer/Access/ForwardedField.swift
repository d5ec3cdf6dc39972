/// Reads the `Forwarded` field (RFC 7239).
enum ForwardedField {
    /// The values of a parameter in each element of the field, in order; nil for an element without it. Nil when the
    /// last element is malformed.
    ///
    /// A client may have sent a malformed element, to which proxies append theirs: it ends at the next comma, and
    /// elements before it do not count.
    static func values(of parameter: String, in field: String) -> [String?]? {
        var rest = Array(field.utf8)[...]
        var values: [String?] = []
        while true {
            var reader = Reader(rest: rest)
            let element = reader.element(parameter)
            reader.skipSpace()
            let isWhole = reader.rest.first.map { $0 == UInt8(ascii: ",") } ?? true
            if let element, isWhole {
                values.append(element.value)
                rest = reader.rest
            } else {
                values = []
                rest = rest.drop { $0 != UInt8(ascii: ",") }
            }
            if rest.isEmpty { return values.isEmpty ? nil : values }
            rest.removeFirst()
        }
    }

    private struct Reader {
        var rest: ArraySlice<UInt8>

        mutating func skipSpace() { rest = rest.drop { $0 == 0x20 || $0 == 0x09 } }

        mutating func take(_ byte: UInt8) -> Bool {
            guard rest.first == byte else { return false }
            rest.removeFirst()
            return true
        }

        /// Takes `name=value` pairs with semicolons between.
        mutating func element(_ parameter: String) -> (value: String?, Void)? {
            var found: String?
            repeat {
                skipSpace()
                let name = word()
                if name.isEmpty { continue }
                guard take(UInt8(ascii: "=")), let value = value() else { return nil }
                if name.lowercased() == parameter { found = value }
                skipSpace()
            } while take(UInt8(ascii: ";"))
            return (found, ())
        }

        private mutating func value() -> String? {
            guard take(UInt8(ascii: "\"")) else {
                let text = word()
                return text.isEmpty ? nil : text
            }
            var bytes: [UInt8] = []
            while let byte = rest.popFirst() {
                if byte == UInt8(ascii: "\"") { return String(decoding: bytes, as: UTF8.self) }
                guard byte == UInt8(ascii: "\\") else {
                    bytes.append(byte)
                    continue
                }
                guard let escaped = rest.popFirst() else { return nil }
                bytes.append(escaped)
            }
            return nil
        }

        /// A token. Colons and brackets are accepted, too, since senders forget the quotes around addresses with ports.
        private mutating func word() -> String {
            let word = rest.prefix { byte in
                byte > 0x20 && byte < 0x7F && !#",;="\"#.utf8.contains(byte)
            }
            rest = rest.dropFirst(word.count)
            return String(decoding: word, as: UTF8.self)
        }
    }
}
