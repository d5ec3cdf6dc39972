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
        guard let found else {
            let why = FileManager.default.fileExists(atPath: path) ? "cannot be read" : "is not there"
            throw CommandFailure(code: .failure, text: "\(path) \(why).")
        }
        guard found.count <= Self.bytesMax else {
            throw CommandFailure(
                code: .failure, text: "\(path) is larger than 1 MiB, the most that is accepted.")
        }
        bytes = found
        isScript = path.hasSuffix(".sh")
    }

    /// The content of a file, or of standard input for `-`; nil when it cannot be read.
    static func content(_ path: String, bytesMax: Int) -> [UInt8]? {
        path == "-"
            ? DescriptorInput.standardInput.readAll(bytesMax: bytesMax)
            : FileManager.default.contents(atPath: path).map { Array($0) }
    }
}
