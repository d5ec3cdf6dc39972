package import Commands
internal import EventIO
internal import FoundationEssentials

/// The spec or the script that a command reads.
package struct SpecInput {
    /// The maximum size of a spec.
    package static let bytesMax = 1 << 20

    package let bytes: [UInt8]
    /// Whether it is a script of curl lines: a file whose name ends in `.sh`.
    package let isScript: Bool

    /// Reads a file, or standard input for `-`.
    package init(_ path: String) throws(CommandFailure) {
        let found = Self.content(path, bytesMax: Self.bytesMax)
        guard let found else { throw Self.unreadable(path) }
        guard found.count <= Self.bytesMax else {
            throw CommandFailure(
                code: .failure,
                text: "\(Self.name(of: path)) is larger than 1 MiB, the most that is accepted.")
        }
        bytes = found
        isScript = Self.isScript(path)
    }

    /// Whether the name of a file says that it has curl lines.
    static func isScript(_ path: String) -> Bool { path.utf8.suffix(3).elementsEqual(".sh".utf8) }

    static func unreadable(_ path: String) -> CommandFailure {
        let exists = path == "-" || FileManager.default.fileExists(atPath: path)
        return CommandFailure(
            code: .failure, text: "\(name(of: path)) \(exists ? "cannot be read" : "is not there").")
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
