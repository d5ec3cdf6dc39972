import StrictJSON

/// The types of plain scalars in the core schema of YAML 1.2: `yes`, `on` and `12:30` are texts.
enum YAMLScalar {
    /// The value of a plain scalar.
    /// - Throws: for numbers that JSON does not have, and for those that YAML 1.1 and 1.2 read differently.
    static func value(_ text: String, line: Int) throws(YAMLFault) -> JSONValue {
        switch text {
        case "", "~", "null", "Null", "NULL": return .null
        case "true", "True", "TRUE": return .bool(true)
        case "false", "False", "FALSE": return .bool(false)
        default: break
        }
        var digits = Array(text.utf8)[...]
        let sign = digits.first == minus ? "-" : ""
        if digits.first == minus || digits.first == plus { digits = digits.dropFirst() }
        if specials.contains(where: { $0.elementsEqual(digits) }) {
            throw YAMLFault(line, "JSON has no \(text): put a text between quotation marks.")
        }
        guard let first = digits.first, isDigit(first) || first == point else { return .string(text) }
        if digits.count == text.utf8.count, let whole = based(digits) { return .number(whole) }
        guard let number = decimal(digits, sign) else { return .string(text) }
        if first == zero, digits.count > 1, isDigit(digits[digits.startIndex + 1]) {
            throw YAMLFault(
                line,
                "\(text) is a number or a text: put it between quotation marks, or leave out the zeros before it."
            )
        }
        return .number(number)
    }

    private static let (minus, plus, point, zero) = (
        UInt8(ascii: "-"), UInt8(ascii: "+"), UInt8(ascii: "."), UInt8(ascii: "0")
    )
    private static let specials = [".inf", ".Inf", ".INF", ".nan", ".NaN", ".NAN"].map { Array($0.utf8) }

    private static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }

    /// `0o17` and `0xFF`.
    private static func based(_ digits: ArraySlice<UInt8>) -> JSONNumber? {
        guard digits.count > 2, digits.first == zero else { return nil }
        let radix = digits.dropFirst().first == UInt8(ascii: "x") ? 16 : 8
        guard radix == 16 || digits.dropFirst().first == UInt8(ascii: "o") else { return nil }
        let rest = digits.dropFirst(2)
        guard rest.allSatisfy({ $0 != plus && $0 != minus }) else { return nil }
        return Int64(String(decoding: rest, as: UTF8.self), radix: radix).map { JSONNumber($0) }
    }

    /// A decimal number in the notation of JSON: `.5` is 0.5, and `1.` is 1.0.
    private static func decimal(_ digits: ArraySlice<UInt8>, _ sign: String) -> JSONNumber? {
        let whole = digits.prefix(while: isDigit)
        var rest = digits.dropFirst(whole.count)
        var text = sign + (whole.isEmpty ? "0" : String(decoding: whole, as: UTF8.self))
        if rest.first == point {
            let fraction = rest.dropFirst().prefix(while: isDigit)
            guard !whole.isEmpty || !fraction.isEmpty else { return nil }
            rest = rest.dropFirst(1 + fraction.count)
            text += "." + (fraction.isEmpty ? "0" : String(decoding: fraction, as: UTF8.self))
        }
        guard let e = rest.first else { return JSONNumber(checkedText: text) }
        guard e | 0x20 == UInt8(ascii: "e") else { return nil }
        var exponent = rest.dropFirst()
        if exponent.first == plus || exponent.first == minus { exponent = exponent.dropFirst() }
        guard !exponent.isEmpty, exponent.allSatisfy(isDigit) else { return nil }
        return JSONNumber(checkedText: text + String(decoding: rest, as: UTF8.self))
    }
}
