/// A URI template (RFC 6570, level 4): text with `{variables}` whose values are percent-encoded where they
/// go in.
public struct URITemplate: Sendable, Hashable, CustomStringConvertible {
    /// The value of a variable.
    public enum Value: Sendable {
        /// One text. The empty text is a value too.
        case string(String)
        /// A list of texts; an empty list counts as undefined.
        case list([String])
        /// Names with values, in order; none counts as undefined.
        case pairs([(name: String, value: String)])
    }

    /// What happens to a variable without a value.
    public enum MissingRule: Sendable, Hashable {
        /// It leaves nothing behind, as RFC 6570 says.
        case isLeftOut
        /// It is an error.
        case isRefused
    }

    /// What happens to values that would lead a path elsewhere.
    public enum PathRule: Sendable, Hashable {
        /// They go in as RFC 6570 says.
        case isFree
        /// It is an error when a value makes or helps to make a dot segment, in any spelling (`..`, `%2e.`, `..;x`,
        /// `..%2Fx`), when values make the text begin with `//`, which would name a host, or with `/` for want of a
        /// value, which would leave the base of a relative URL.
        case isKept
    }

    /// The template as written.
    public let text: String
    private let parts: [URITemplatePart]

    /// Reads a template.
    ///
    /// - Parameter allowsReserved: whether `{+x}` and `{#x}` may stand in it. They let values bring `/`, `?`,
    ///   `&` and whole hosts into the URL; refuse them where values come from outside.
    /// - Throws: what is wrong, where, and what to write instead.
    public init(_ text: String, allowsReserved: Bool = true) throws(URITemplateError) {
        var reader = URITemplateReader(text, allowsReserved: allowsReserved)
        parts = try reader.read()
        self.text = text
    }

    /// The names of the variables, each once, in the order of their first appearance.
    public var variableNames: [String] {
        var names: [String] = []
        for case .expression(let expression) in parts {
            for variable in expression.variables where !names.contains(variable.name) {
                names.append(variable.name)
            }
        }
        return names
    }

    /// The template with the values put in. Of several values with one name the first counts.
    ///
    /// - Throws: `.undefined` for a missing variable when `missing` is `.isRefused`; `.prefixOfList` for a
    ///   length (`{x:3}`) on something other than a text; `.dotSegment`, `.host` and `.root` when `path` is
    ///   `.isKept`.
    public func expand(
        _ variables: [(String, Value)], missing: MissingRule = .isLeftOut, path: PathRule = .isFree
    ) throws(URITemplateError) -> String {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count + 32)
        var insertions: [URITemplateInsertion] = []
        for part in parts {
            switch part {
            case .literal(let bytes): output.append(contentsOf: bytes)
            case .expression(let expression):
                let start = output.count
                try expression.expand(variables, missing: missing, into: &output)
                insertions.append(URITemplateInsertion(expression: expression, place: start..<output.count))
            }
        }
        if path == .isKept { try URITemplatePathCheck(output, insertions).check() }
        return String(decoding: output, as: UTF8.self)
    }

    /// The template as written.
    public var description: String { text }
}

/// Why a text is not a template, or cannot be expanded.
public struct URITemplateError: Error, Sendable, Hashable {
    /// A stable name for each kind of mistake.
    public enum Code: String, Sendable, Hashable, CaseIterable {
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
    public let code: Code
    /// What is wrong, one sentence.
    public let detail: String
    /// What to write instead.
    public let suggestion: String
    /// Where in the template, in bytes from the start.
    public let offset: Int
}
