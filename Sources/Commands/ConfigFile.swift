internal import StrictJSON

/// A configuration file: a line `name = value` for each flag of `jobserver serve`, without the dashes.
///
/// A repeatable flag may have several lines, a switch is `true` or `false`. Blank lines and lines that begin with `#`
/// are skipped. A value reaches to the end of its line.
package struct ConfigFile: Sendable {
    /// A line of the file.
    package struct Setting: Sendable, Hashable {
        package let name: String
        package let value: String
        /// The number of the line, from 1.
        package let line: Int
    }

    package let path: String
    package private(set) var settings: [Setting] = []
    /// The faults of lines that are not among the settings.
    package private(set) var problems: [String] = []

    /// The maximum size of a file.
    package static let bytesMax = 1 << 20

    /// Parses the content of a file.
    /// - Parameter flags: the flags that it may set.
    /// - Throws: `.configuration` with all problems and their lines.
    package init(_ text: String, path: String, flags: [Flag]) throws(CommandFailure) {
        self.init(checking: text, path: path, flags: flags)
        guard problems.isEmpty else {
            throw CommandFailure(code: .configuration, text: problems.joined(separator: "\n"))
        }
    }

    /// The same with the problems beside the settings that can be read.
    package init(checking text: String, path: String, flags: [Flag]) {
        self.path = path
        let flags = flags.filter { $0.name != Self.flag.name }
        var number = 0
        for line in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
            number += 1
            let content = Self.trimmed(line)
            guard !content.isEmpty, content.utf8.first != UInt8(ascii: "#") else { continue }
            guard let equals = content.utf8.firstIndex(of: UInt8(ascii: "=")) else {
                problems.append("\(path):\(number): expected name = value")
                continue
            }
            let name = String(Self.trimmed(content[..<equals]))
            let value = String(Self.trimmed(content[content.utf8.index(after: equals)...]))
            guard let flag = flags.first(where: { $0.name == name }) else {
                let near = SpellingSuggestion.nearest(to: name, in: flags.map(\.name))
                let hint = near.map { " Did you mean \($0)?" } ?? ""
                problems.append("\(path):\(number): there is no setting \"\(name)\".\(hint)")
                continue
            }
            if value.isEmpty {
                problems.append("\(path):\(number): \(name) has no value; remove the line for the default")
            } else if !flag.isRepeatable, let before = settings.first(where: { $0.name == name }) {
                problems.append("\(path):\(number): \(name) is there already, in line \(before.line)")
            } else {
                settings.append(Setting(name: name, value: value, line: number))
            }
        }
    }

    /// The flag that names the file.
    package static let flag = Flag(
        name: "config", value: "FILE",
        help: "take settings from this file, a line name = value for each; flags and variables win")

    private static func trimmed(_ text: Substring) -> Substring {
        let start = text.utf8.drop { $0 == 0x20 || $0 == 0x09 }
        guard let last = start.lastIndex(where: { $0 != 0x20 && $0 != 0x09 }) else { return "" }
        return Substring(start[...last])
    }
}
