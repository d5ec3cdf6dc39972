/// A part of a template: literal text or an expression.
enum URITemplatePart: Sendable, Hashable {
    case literal([UInt8])
    case expression(URITemplateExpression)
}

/// One `{…}`: an operator and the variables it joins (RFC 6570 §2.2 and appendix A).
struct URITemplateExpression: Sendable, Hashable {
    /// The character after the brace and its effect.
    enum Operator: UInt8, Sendable, Hashable, CaseIterable {
        case simple = 0
        case reserved = 0x2B
        case fragment = 0x23
        case label = 0x2E
        case path = 0x2F
        case pathParameter = 0x3B
        case query = 0x3F
        case continuation = 0x26

        var first: String {
            switch self {
            case .simple, .reserved: ""
            case .fragment: "#"
            case .label: "."
            case .path: "/"
            case .pathParameter: ";"
            case .query: "?"
            case .continuation: "&"
            }
        }

        var separator: String {
            switch self {
            case .simple, .reserved, .fragment: ","
            case .label: "."
            case .path: "/"
            case .pathParameter: ";"
            case .query, .continuation: "&"
            }
        }

        var isNamed: Bool { self == .pathParameter || self == .query || self == .continuation }

        /// The text after a name whose value is empty.
        var afterEmpty: String { self == .pathParameter ? "" : "=" }

        var place: PercentCoding.Place { self == .reserved || self == .fragment ? .reserved : .anywhere }
    }

    /// The modifier of a variable.
    enum Modifier: Sendable, Hashable {
        case none
        /// Only this number of characters from the start, 1…9999.
        case prefix(Int)
        case explode
    }

    /// One variable of the expression.
    struct Variable: Sendable, Hashable {
        var name: String
        var modifier: Modifier
        /// The position of the name in the template.
        var offset: Int
    }

    var operation: Operator
    var variables: [Variable]

    /// Appends the expansion (RFC 6570 §3.2.1). False when every variable is undefined, and nothing is appended.
    func expand(
        _ values: URITemplateValues, into output: inout [UInt8]
    ) throws(URITemplateError) -> Bool {
        var isFirst = true
        for variable in variables {
            guard let value = values[variable.name] else { continue }
            output.append(contentsOf: (isFirst ? operation.first : operation.separator).utf8)
            isFirst = false
            try append(value, of: variable, to: &output)
        }
        return !isFirst
    }

    private func append(
        _ value: URITemplate.Value, of variable: Variable, to output: inout [UInt8]
    ) throws(URITemplateError) {
        if case .string(let text) = value {
            appendString(text, of: variable, to: &output)
            return
        }
        if case .prefix = variable.modifier {
            throw URITemplateError(
                code: .prefixOfList,
                detail: "The variable \(variable.name) is cut to a length but is not a text.",
                suggestion: "Remove the colon and the number behind \(variable.name).",
                offset: variable.offset)
        }
        if variable.modifier == .explode {
            appendExploded(value, of: variable, to: &output)
        } else {
            appendJoined(value, of: variable, to: &output)
        }
    }

    private func appendString(_ text: String, of variable: Variable, to output: inout [UInt8]) {
        var text = text
        if case .prefix(let length) = variable.modifier {
            text = String(String.UnicodeScalarView(text.unicodeScalars.prefix(length)))
        }
        appendNamed(operation.isNamed ? variable.name : nil, text, to: &output)
    }

    /// Each member separately: `/a/b`, `&x=a&x=b`, `;name=value`.
    private func appendExploded(_ value: URITemplate.Value, of variable: Variable, to output: inout [UInt8]) {
        switch value {
        case .string: break
        case .list(let items):
            for (index, item) in items.enumerated() {
                if index > 0 { output.append(contentsOf: operation.separator.utf8) }
                appendNamed(operation.isNamed ? variable.name : nil, item, to: &output)
            }
        case .pairs(let pairs):
            for (index, pair) in pairs.enumerated() {
                if index > 0 { output.append(contentsOf: operation.separator.utf8) }
                appendEncoded(pair.name, to: &output)
                if pair.value.isEmpty, operation.isNamed {
                    output.append(contentsOf: operation.afterEmpty.utf8)
                } else {
                    output.append(0x3D)
                    appendEncoded(pair.value, to: &output)
                }
            }
        }
    }

    /// All members joined by commas.
    private func appendJoined(_ value: URITemplate.Value, of variable: Variable, to output: inout [UInt8]) {
        if operation.isNamed {
            output.append(contentsOf: variable.name.utf8)
            output.append(0x3D)
        }
        var members: [String] = []
        switch value {
        case .string: break
        case .list(let items): members = items
        case .pairs(let pairs): members = pairs.flatMap { [$0.name, $0.value] }
        }
        for (index, member) in members.enumerated() {
            if index > 0 { output.append(0x2C) }
            appendEncoded(member, to: &output)
        }
    }

    private func appendNamed(_ name: String?, _ text: String, to output: inout [UInt8]) {
        if let name {
            output.append(contentsOf: name.utf8)
            output.append(contentsOf: (text.isEmpty ? operation.afterEmpty : "=").utf8)
        }
        appendEncoded(text, to: &output)
    }

    private func appendEncoded(_ text: String, to output: inout [UInt8]) {
        PercentCoding.append(text.utf8.span, for: operation.place, to: &output)
    }
}
