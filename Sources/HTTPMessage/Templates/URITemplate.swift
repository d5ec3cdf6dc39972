/// A URI template (RFC 6570, level 4): text with `{variables}` whose values are percent-encoded on insertion.
package struct URITemplate: Sendable, Hashable, CustomStringConvertible {
    /// The value of a variable.
    package enum Value: Sendable {
        /// One text. The empty text is a value too.
        case string(String)
        /// A list of texts; an empty list is undefined.
        case list([String])
        /// Names with values, in order; an empty list is undefined.
        case pairs([(name: String, value: String)])

        /// The value of an undefined variable (RFC 6570 §2.3).
        package static let undefined = Value.list([])
    }

    /// The handling of values that would change the target.
    package enum PathRule: Sendable, Hashable {
        /// Values are inserted as in RFC 6570.
        case isFree
        /// The expansion fails when a value makes or helps to make a dot segment, in any spelling (`..`, `%2e.`,
        /// `..;x`, `..%2Fx`), when values make the text begin with `//`, which would name a host, when an empty value
        /// makes it begin with `/`, which would leave the base of a relative URL, or when an undefined variable
        /// without an operator would leave a segment of the path empty or stand in the host or the port.
        case isKept
    }

    /// The template as written.
    package let text: String
    private let parts: [URITemplatePart]

    /// Parses a template.
    ///
    /// - Parameter allowsReserved: whether `{+x}` and `{#x}` are permitted. They let values insert `/`, `?`, `&` and
    ///   whole hosts into the URL; refuse them for untrusted values.
    /// - Throws: the problem, its position, and the correct form.
    package init(_ text: String, allowsReserved: Bool = true) throws(URITemplateError) {
        var reader = URITemplateReader(text, allowsReserved: allowsReserved)
        parts = try reader.read()
        self.text = text
    }

    /// The names of the variables, each once, in the order of their first appearance.
    package var variableNames: [String] {
        var names: [String] = []
        // They are ASCII, so that equal ones have equal bytes.
        var known: Set<String> = []
        for case .expression(let expression) in parts {
            for variable in expression.variables where known.insert(variable.name).inserted {
                names.append(variable.name)
            }
        }
        return names
    }

    /// Expands the template. Undefined variables are omitted (RFC 6570 §3.2.1): those without a value, and empty
    /// lists. Of several values with one name the first counts.
    ///
    /// - Throws: `.prefixOfList` for a length (`{x:3}`) on something other than a text; `.dotSegment`, `.host`, `.root`
    ///   and `.undefined` when `path` is `.isKept`.
    package func expand(
        _ variables: [(String, Value)], path: PathRule = .isFree
    ) throws(URITemplateError) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count + 32)
        var insertions: [URITemplateInsertion] = []
        let values = URITemplateValues(variables)
        for part in parts {
            switch part {
            case .literal(let bytes): output.append(contentsOf: bytes)
            case .expression(let expression):
                let start = output.count
                let isDefined = try expression.expand(values, into: &output)
                insertions.append(
                    URITemplateInsertion(
                        expression: expression, isDefined: isDefined, place: start..<output.count))
            }
        }
        if path == .isKept { try URITemplatePathCheck(output, insertions).check() }
        return String(decoding: output, as: UTF8.self)
    }

    /// The template as written.
    package var description: String { text }
}

/// The reason why a text is not a template, or cannot be expanded.
package struct URITemplateError: Error, Sendable, Hashable {
    /// A stable name for each kind of mistake.
    package enum Code: String, Sendable, Hashable, CaseIterable {
        case character = "template.character"
        case brace = "template.brace"
        case operation = "template.operator"
        case reserved = "template.reserved"
        case name = "template.name"
        case modifier = "template.modifier"
        case undefined = "template.undefined"
        case prefixOfList = "template.prefix_of_list"
        case dotSegment = "template.dot_segment"
        case host = "template.host"
        case root = "template.root"
    }

    /// The kind of mistake.
    package let code: Code
    /// The problem, one sentence.
    package let detail: String
    /// The correct form.
    package let suggestion: String
    /// The position in the template, in bytes from the start.
    package let offset: Int
}
