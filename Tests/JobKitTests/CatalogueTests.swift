import Foundation
import Testing

/// The documentation catalogue of a module.
struct Catalogue: Sendable, CustomTestStringConvertible {
    let module: String

    static let all = ["JobKit", "JobHTTP", "DurableJobs"].map(Catalogue.init)

    var testDescription: String { module }
    var folder: URL { PublicSurface.root.appending(path: "Sources/\(module)/\(module).docc") }

    func articles() throws -> [(name: String, text: String)] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".md") }
            .sorted()
            .map { ($0, try String(contentsOf: folder.appending(path: $0), encoding: .utf8)) }
    }

    /// The Swift code of an article that uses JobKit: all but that in tabs of other names.
    static func code(of article: String) -> [String] {
        var code: [String] = []
        var (tab, isOpen) = ("JobKit", false)
        for line in article.split(separator: "\n", omittingEmptySubsequences: false) {
            let text = line.drop { $0 == " " }
            if isOpen {
                if text == "```" { isOpen = false } else if tab == "JobKit" { code.append(String(line)) }
            } else if text == "```swift" {
                isOpen = true
            } else if let name = text.firstMatch(of: /@Tab\("(.*)"\)/)?.1 {
                tab = String(name)
            } else if line == "}" {
                tab = "JobKit"
            }
        }
        return code
    }
}

@Suite(.enabled(if: UserCompiler.installedTools != nil, "The tools of the compiler are not in the PATH."))
struct `A catalogue` {
    @Test func `has code that compiles, each article as a program`() throws {
        let compiler = try UserCompiler()
        defer { compiler.close() }
        let programs = try Catalogue.all.flatMap { try $0.articles() }.map { name, text in
            (name, Catalogue.code(of: text))
        }.filter { !$0.1.isEmpty }
        #expect(programs.count >= 9)
        let functions = programs.enumerated().map { index, program in
            "// \(program.0)\nfunc article\(index)() async throws {\n"
                + program.1.joined(separator: "\n") + "\n}\n"
        }
        let imports = "import DurableJobs\nimport Foundation\nimport JobHTTP\n"
        #expect(try compiler.complaints(about: imports + functions.joined()) == "")
    }

    @Test(.timeLimit(.minutes(5)), arguments: Catalogue.all)
    func `is converted without a warning`(catalogue: Catalogue) throws {
        let compiler = try UserCompiler()
        defer { compiler.close() }
        let words = try compiler.documentation(of: catalogue.module, catalogue: catalogue.folder)
        #expect(words.trimmingCharacters(in: .whitespacesAndNewlines) == "")
    }

    @Test(arguments: Catalogue.all)
    func `names every type in its topics`(catalogue: Catalogue) throws {
        let compiler = try UserCompiler()
        defer { compiler.close() }
        let page = try #require(catalogue.articles().first { $0.name == "\(catalogue.module).md" }).text
        let named = Set(page.matches(of: /- ``(\w+)``/).map { String($0.1) })
        #expect(try named.symmetricDifference(compiler.surface(of: catalogue.module).types) == [])
    }
}
