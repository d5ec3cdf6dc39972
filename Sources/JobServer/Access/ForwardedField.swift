/// Reads the `Forwarded` field (RFC 7239).
enum ForwardedField {
    /// The values of a parameter in each element of the field, in order; nil for an element without it. Nil when the
    /// field is malformed.
    static func values(of parameter: String, in field: String) -> [String?]? {
        var reader = Reader(rest: Array(field.utf8)[...])
        var values: [String?] = []
        while true {
            guard let element = reader.element(parameter) else { return nil }
            values.append(element.value)
            reader.skipSpace()
            guard reader.take(UInt8(ascii: ",")) else { break }
        }
        return reader.rest.isEmpty ? values : nil
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
