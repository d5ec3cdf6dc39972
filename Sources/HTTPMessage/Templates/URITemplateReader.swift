/// Reads the text of a template into its parts (RFC 6570 §2).
struct URITemplateReader {
    private let bytes: [UInt8]
    private let allowsReserved: Bool
    private var position = 0

    init(_ text: String, allowsReserved: Bool) {
        bytes = Array(text.utf8)
        self.allowsReserved = allowsReserved
    }

    mutating func read() throws(URITemplateError) -> [URITemplatePart] {
        var parts: [URITemplatePart] = []
        while position < bytes.count {
            if bytes[position] == 0x7B {
                parts.append(.expression(try readExpression()))
            } else {
                parts.append(.literal(try readLiteral()))
            }
        }
        return parts
    }

    private mutating func readLiteral() throws(URITemplateError) -> [UInt8] {
        var literal: [UInt8] = []
        while position < bytes.count, bytes[position] != 0x7B {
            let byte = bytes[position]
            if byte == 0x7D {
                throw error(
                    .brace, "A closing brace has no opening one.", "Write %7D for a brace that stays.")
            }
            if byte == 0x25 { try checkEscape() }
            if byte <= 0x20 || byte == 0x7F || [0x22, 0x3C, 0x3E, 0x5C, 0x5E, 0x60, 0x7C].contains(byte) {
                throw error(
                    .character, "The template holds a blank, a control byte or one of \" < > \\ ^ ` |.",
                    "Percent-encode it.")
            }
            if byte >= 0x80 {
                PercentCoding.append([byte].span, for: .reserved, to: &literal)
            } else {
                literal.append(byte)
            }
            position += 1
        }
        return literal
    }

    private func checkEscape() throws(URITemplateError) {
        guard bytes.count - position >= 3, bytes[position + 1].hexDigitValue != nil,
            bytes[position + 2].hexDigitValue != nil
        else {
            throw error(
                .character, "A % is not followed by two hexadecimal digits.", "Write %25 for a percent sign.")
        }
    }

    private mutating func readExpression() throws(URITemplateError) -> URITemplateExpression {
        let start = position
        position += 1
        let operation = try readOperator()
        var variables: [URITemplateExpression.Variable] = []
        while true {
            variables.append(try readVariable())
            guard position < bytes.count else {
                throw error(.brace, "An opening brace is never closed.", "Add } or write %7B.", at: start)
            }
            position += 1
            if bytes[position - 1] == 0x7D { break }
            guard bytes[position - 1] == 0x2C else {
                throw error(
                    .name, "A variable name holds a character that is not allowed there.",
                    "Use letters, digits, _ and dots, with commas between names.", at: position - 1)
            }
        }
        return URITemplateExpression(operation: operation, variables: variables)
    }

    private mutating func readOperator() throws(URITemplateError) -> URITemplateExpression.Operator {
        guard position < bytes.count else {
            throw error(.brace, "An opening brace is never closed.", "Add } or write %7B.", at: position - 1)
        }
        let byte = bytes[position]
        if [0x3D, 0x2C, 0x21, 0x40, 0x7C].contains(byte) {
            throw error(
                .operation, "The operators = , ! @ | are reserved for later and mean nothing yet.",
                "Use one of . / ; ? & or none.")
        }
        guard byte != 0, let operation = URITemplateExpression.Operator(rawValue: byte) else {
            return .simple
        }
        if !allowsReserved, operation == .reserved || operation == .fragment {
            throw error(
                .reserved, "{+…} and {#…} would let a value change the host or path of the URL.",
                "Write the variable without + and #: its value is percent-encoded then.")
        }
        position += 1
        return operation
    }

    private mutating func readVariable() throws(URITemplateError) -> URITemplateExpression.Variable {
        let start = position
        var isAfterDot = true
        while position < bytes.count {
            let byte = bytes[position]
            if byte.isLetterByte || byte.isDigitByte || byte == 0x5F {
                isAfterDot = false
            } else if byte == 0x25 {
                try checkEscape()
                position += 2
                isAfterDot = false
            } else if byte == 0x2E, !isAfterDot {
                isAfterDot = true
            } else {
                break
            }
            position += 1
        }
        guard position > start, !isAfterDot else {
            throw error(.name, "A variable name is missing or malformed.", "Write a name, such as {id}.")
        }
        let name = String(decoding: bytes[start..<position], as: UTF8.self)
        return URITemplateExpression.Variable(name: name, modifier: try readModifier(), offset: start)
    }

    private mutating func readModifier() throws(URITemplateError) -> URITemplateExpression.Modifier {
        guard position < bytes.count else { return .none }
        if bytes[position] == 0x2A {
            position += 1
            return .explode
        }
        guard bytes[position] == 0x3A else { return .none }
        let start = position
        position += 1
        var length = 0
        while position < bytes.count, bytes[position].isDigitByte, length < 1000 {
            length = length * 10 + Int(bytes[position] - 0x30)
            position += 1
        }
        guard length > 0, bytes[start + 1] != 0x30 else {
            throw error(
                .modifier, "A colon is not followed by a length.",
                "Write a number from 1 to 9999, such as {id:3}.",
                at: start)
        }
        return .prefix(length)
    }

    private func error(
        _ code: URITemplateError.Code, _ detail: String, _ suggestion: String, at offset: Int? = nil
    ) -> URITemplateError {
        URITemplateError(code: code, detail: detail, suggestion: suggestion, offset: offset ?? position)
    }
}
