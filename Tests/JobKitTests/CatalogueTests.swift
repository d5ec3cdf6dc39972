import Foundation
import Testing

/// The documentation catalogue of JobKit.
private enum Catalogue {
    static let folder = PublicSurface.root.appending(path: "Sources/JobKit/JobKit.docc")

    static func articles() throws -> [(name: String, text: String)] {
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
struct `The catalogue of JobKit` {
    @Test func `has code that compiles, each article as a program`() throws {
        let compiler = try UserCompiler()
        defer { compiler.close() }
        let programs = try Catalogue.articles().map { name, text in
            (name, Catalogue.code(of: text))
        }.filter { !$0.1.isEmpty }
        #expect(programs.count >= 7)
        let functions = programs.enumerated().map { index, program in
            "// \(program.0)\nfunc article\(index)() async throws {\n"
                + program.1.joined(separator: "\n") + "\n}\n"
        }
        let imports = "import DurableJobs\nimport Foundation\nimport JobHTTP\n"
        #expect(try compiler.complaints(about: imports + functions.joined()) == "")
    }

    @Test(.timeLimit(.minutes(5))) func `is converted without a warning`() throws {
        let compiler = try UserCompiler()
        defer { compiler.close() }
        let words = try compiler.documentation(of: "JobKit", catalogue: Catalogue.folder)
        #expect(words.trimmingCharacters(in: .whitespacesAndNewlines) == "")
    }

    @Test func `names every type in its topics`() throws {
        let compiler = try UserCompiler()
        defer { compiler.close() }
        let page = try #require(Catalogue.articles().first { $0.name == "JobKit.md" }).text
        let named = Set(page.matches(of: /- ``(\w+)``/).map { String($0.1) })
        #expect(try named.symmetricDifference(compiler.surface(of: "JobKit").types) == [])
    }
}
