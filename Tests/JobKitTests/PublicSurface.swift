import Foundation

/// The public symbols of a module, as its users see them.
struct PublicSurface {
    var symbols: [Symbol]

    /// The root of the package.
    static let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// The products of the package that are libraries, with their modules.
    static func products() throws -> [(name: String, modules: [String])] {
        let manifest = try String(contentsOf: root.appending(path: "Package.swift"), encoding: .utf8)
        return manifest.matches(of: /\.library\(\s*name: "(\w+)",\s*targets: \[([^\]]*)\]/).map { match in
            (String(match.1), match.2.matches(of: /\w+/).map { String($0.0) })
        }
    }

    init(symbolGraph: Data) throws {
        symbols = try JSONDecoder().decode(Graph.self, from: symbolGraph).symbols
    }

    private struct Graph: Decodable {
        let symbols: [Symbol]
    }

    struct Symbol: Decodable {
        let kind: Kind
        let pathComponents: [String]
        let docComment: Documentation?
        let declarationFragments: [Fragment]?

        struct Kind: Decodable { let identifier: String }
        struct Documentation: Decodable { let lines: [Line] }
        struct Line: Decodable { let text: String }
        struct Fragment: Decodable { let spelling: String }

        var name: String { pathComponents.joined(separator: ".") }
        var documentation: String { docComment?.lines.map(\.text).joined(separator: "\n") ?? "" }
        var declaration: String { declarationFragments?.map(\.spelling).joined() ?? "" }

        /// Whether it is a type of its own, rather than a part of one.
        var isType: Bool {
            let kinds = ["struct", "class", "enum", "protocol", "actor", "typealias"]
            return pathComponents.count == 1 && kinds.contains { kind.identifier == "swift.\($0)" }
        }

        /// Whether it throws itself, rather than one of its arguments.
        var isThrowing: Bool {
            let text = declaration
            if let accessors = text.range(of: "{ get") {
                return text[accessors.upperBound...].contains("throws")
            }
            var depth = 0
            var before: Character = " "
            for (character, rest) in zip(text, text.indices.lazy.map { text[$0...] }) {
                switch character {
                case "(", "[", "<": depth += 1
                case ")", "]": depth -= 1
                case ">" where before != "-": depth -= 1
                case "t" where depth == 0 && rest.hasPrefix("throws"): return true
                default: break
                }
                before = character
            }
            return false
        }
    }

    /// The types at the top level.
    var types: [String] { symbols.filter(\.isType).map(\.name).sorted() }

    /// Symbols that say nothing about themselves, and throwing ones that do not say when.
    var findings: [String] {
        symbols.compactMap { symbol in
            if symbol.documentation.isEmpty { return "\(symbol.name) is not documented" }
            let isCallable = ["func", "method", "init", "property", "subscript"].contains {
                symbol.kind.identifier.hasSuffix(".\($0)")
            }
            guard isCallable, symbol.isThrowing else { return nil }
            return symbol.documentation.contains("hrow") ? nil : "\(symbol.name) does not say when it throws"
        }
    }
}
