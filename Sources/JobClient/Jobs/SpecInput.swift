package import Commands
internal import EventIO
internal import FoundationEssentials
internal import StrictJSON
internal import StrictYAML

/// The spec or the script that a command reads.
package struct SpecInput {
    /// The maximum size of a spec.
    package static let bytesMax = 1 << 20

    /// The spec as JSON, or the script.
    package let bytes: [UInt8]
    /// Whether it is a script of curl lines: a file whose name ends in `.sh`.
    package let isScript: Bool
    /// The name of the input, for people.
    package let name: String
    private let yaml: YAMLDocument?

    /// The form of a text, where the name of its file does not say it.
    package enum Form: String, CaseIterable, Sendable {
        case json
        case yaml
    }

    /// The flag that names the form.
    package static let formFlag = Flag(
        name: "format", value: "json|yaml", help: "the format; default by the file name",
        hasVariable: false)

    /// Reads a file, or standard input for `-`. A file that ends in .yaml or .yml is YAML, and becomes JSON here.
    /// - Throws: `.usage` when the file is not there, `.failure` for YAML that is not one document of JSON's values.
    package init(_ path: String, form: Form? = nil) throws(CommandFailure) {
        let found = try Self.text(path)
        name = Self.name(of: path)
        isScript = form == nil && Self.isScript(path)
        guard form == .yaml || form == nil && Self.isYAML(path) else {
            (bytes, yaml) = (found, nil)
            return
        }
        let documents = try Self.documents(found, name: name)
        guard let first = documents.first, documents.count == 1 else {
            let second = documents.dropFirst().first.map { ":\($0.line(of: ""))" } ?? ""
            throw CommandFailure(
                code: .failure,
                text: "\(name)\(second): expected one document, and there are \(documents.count).")
        }
        yaml = first
        bytes = first.value.encoded()
    }

    /// A spec that is read already.
    init(_ bytes: [UInt8], name: String, yaml: YAMLDocument? = nil) {
        (self.bytes, self.name, self.yaml, isScript) = (bytes, name, yaml, false)
    }

    /// The form that the flag names.
    package static func form(_ given: Arguments, command: String) throws(CommandFailure) -> Form? {
        try given.word(formFlag.name, of: Form.allCases.map(\.rawValue), command: command)
            .flatMap { Form(rawValue: $0) }
    }

    /// The line of the value at a JSON Pointer, or of the nearest enclosing one.
    package func line(of pointer: String) -> Int {
        yaml?.line(of: pointer) ?? SpecLines(bytes).line(of: pointer)
    }

    /// The documents of a YAML text.
    /// - Throws: `.failure` with the line of the first fault.
    static func documents(_ text: [UInt8], name: String) throws(CommandFailure) -> [YAMLDocument] {
        do throws(YAMLFault) {
            return try YAMLDocument.all(in: text, limits: YAMLDocument.Limits(bytesMax: bytesMax))
        } catch {
            throw CommandFailure(code: .failure, text: "\(name):\(error.line): \(error.detail)".onTerminal)
        }
    }

    /// The text of a file, or of standard input for `-`.
    static func text(_ path: String) throws(CommandFailure) -> [UInt8] {
        guard let found = content(path, bytesMax: bytesMax) else { throw unreadable(path) }
        guard found.count <= bytesMax else {
            throw CommandFailure(
                code: .failure, text: "\(name(of: path)) is larger than 1 MiB, the most that is accepted.")
        }
        return found
    }

    /// Whether the name of a file says that it has curl lines.
    static func isScript(_ path: String) -> Bool { ends(path, in: ".sh") }

    /// Whether the name of a file says that it has YAML.
    static func isYAML(_ path: String) -> Bool { ends(path, in: ".yaml") || ends(path, in: ".yml") }

    private static func ends(_ path: String, in suffix: String) -> Bool {
        path.utf8.suffix(suffix.utf8.count).elementsEqual(suffix.utf8)
    }

    /// The error of a file that is not there, or that cannot be read.
    package static func unreadable(_ path: String) -> CommandFailure {
        let exists = path == "-" || FileManager.default.fileExists(atPath: path)
        return CommandFailure(
            code: .usage, text: "\(name(of: path)) \(exists ? "cannot be read" : "is not there").")
    }

    /// The name of an input, for people.
    static func name(of path: String) -> String { path == "-" ? "Standard input" : path }

    /// The content of a file, or of standard input for `-`; nil when it cannot be read.
    static func content(_ path: String, bytesMax: Int) -> [UInt8]? {
        path == "-"
            ? DescriptorInput.standardInput.readAll(bytesMax: bytesMax)
            : FileManager.default.contents(atPath: path).map { Array($0) }
    }
}
