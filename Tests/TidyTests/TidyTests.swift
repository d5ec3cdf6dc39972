import Foundation
import Testing

@Suite struct `The house` {
    private func expectNone(_ findings: [Finding], sourceLocation: SourceLocation = #_sourceLocation) {
        let list = findings.prefix(40).map(\.description).joined(separator: "\n")
        let count = findings.count
        #expect(count == 0, "\n\(list)", sourceLocation: sourceLocation)
    }

    @Test func `has files to look at`() {
        #expect(SourceTree.swiftFiles.contains { $0.path == "Sources/JobKit/Model/JobState.swift" })
        #expect(SourceTree.paths.contains("Package.swift"))
    }

    @Test func `imports downwards only`() {
        expectNone(SourceTree.swiftFiles.flatMap(ImportRules.findings))
    }

    @Test func `imports the system conditionally where it may run elsewhere`() {
        expectNone(SourceTree.swiftFiles.flatMap(PortableRules.findings))
        let manifest = SourceTree.read("Package.swift")
        #expect(manifest?.text.contains("#if canImport(Glibc)\n    import Glibc") == true)
    }

    @Test func `has no target that is called like one of another package`() throws {
        expectNone(NameRules.findings(in: try #require(SourceTree.read("Package.swift"))))
    }

    @Test func `keeps files, functions and lines short`() {
        expectNone(SourceTree.swiftFiles.flatMap(SizeRules.findings))
    }

    @Test func `keeps types short, with all their extensions`() {
        print(TypeRules.sizes(in: SourceTree.swiftFiles).prefix(10).map { "\($0.lines) \($0.type)" })
        expectNone(TypeRules.findings(in: SourceTree.swiftFiles))
    }

    @Test func `has no cycle between modules, nor between the folders of one`() {
        for graph in ArrowRules.graphs(of: SourceTree.swiftFiles) {
            print(graph)
            #expect(graph.cycle == nil)
        }
    }

    @Test func `keeps unsafe code in the glass rooms and explains it`() {
        expectNone(SourceTree.swiftFiles.flatMap(UnsafeRules.findings))
    }

    @Test func `keeps the keys of users as bytes`() {
        expectNone(SourceTree.swiftFiles.flatMap(ByteRules.findings))
    }

    @Test func `has meaningful names`() {
        expectNone(WordRules.namelessPaths(SourceTree.paths))
    }

    @Test func `carries no marks of unfinished work`() {
        let files = SourceTree.files(endings: [".swift", ".py", ".sh"])
        expectNone(files.filter { $0.lies(in: ["Sources", "Tests"]) }.flatMap(WordRules.unfinished))
    }

    @Test func `names things in comments by their terms`() {
        expectNone(SourceTree.swiftFiles.flatMap(WordRules.circumlocutions))
    }

    @Test func `has one word for each thing, that of its glossary`() throws {
        let rules = GlossaryRules(try #require(SourceTree.read("Docs/Glossary.md")))
        #expect(rules.enforced.count > 30 && rules.words.contains("exclusive key"))
        let pages = SourceTree.files(endings: [".md"]).filter {
            !$0.lies(in: ["CHANGELOG.md", "Docs/Decisions", "Sources", "Tests", "Benchmarks", "Examples"])
        }
        expectNone(pages.flatMap(rules.findings))
        let contract = try #require(SourceTree.read("openapi.yaml"))
        expectNone(rules.findings(in: contract))
        expectNone(rules.contractFindings(in: contract))
        let scripts = SourceTree.files(endings: [".js"]).filter { $0.lies(in: ["Sources/Page"]) }
        expectNone(scripts.flatMap(rules.pageFindings))
        // The names of the library are those of the frameworks that it comes from.
        let product = SourceTree.swiftFiles.filter {
            $0.lies(in: ["Sources"]) && $0.parts[1].hasPrefix("Job") && $0.parts[1] != "JobKit"
        }
        expectNone(product.flatMap(rules.typeFindings))
        expectNone(SourceTree.swiftFiles.filter { $0.lies(in: ["Sources"]) }.flatMap(rules.stringFindings))
    }

    @Test func `knows why a word of the glossary is not enforced, and where it may stand`() throws {
        let rules = GlossaryRules(try #require(SourceTree.read("Docs/Glossary.md")))
        let others = Set(rules.others.map(\.word))
        #expect(Set(GlossaryRules.ambiguous.keys).subtracting(others) == [])
        let contract = try #require(SourceTree.read("openapi.yaml")).lines.flatMap(
            GlossaryRules.contractNames)
        let names = Set(contract.flatMap(GlossaryRules.parts))
        #expect(GlossaryRules.named.isSubset(of: GlossaryRules.ambiguous.keys))
        #expect(GlossaryRules.named.subtracting(names).subtracting(["file"]) == [])
        for (place, word) in GlossaryRules.exceptions {
            #expect(others.contains(word), "\(word)")
            #expect(SourceTree.read(place)?.text.lowercased().contains(word) == true, "\(place): \(word)")
        }
    }

    @Test func `speaks of itself alone`() {
        let texts = [".swift", ".py", ".sh", ".md", ".yaml", ".json", ".c", ".h", ".lua", "Makefile", "run"]
        expectNone(SourceTree.files(endings: texts).flatMap(WordRules.organisation))
    }

    @Test func `has links that lead somewhere`() {
        let known = Set(SourceTree.paths)
        let folders = Set(SourceTree.paths.map { $0.split(separator: "/").dropLast().joined(separator: "/") })
        let findings = SourceTree.files(endings: [".md"]).flatMap { file in
            DocumentationRules.brokenLinks(in: file) { path in
                if known.contains(path) { return SourceTree.read(path) ?? SourceFile(path: path, text: "") }
                let isFolder = folders.contains { $0 == path || $0.hasPrefix(path + "/") }
                return isFolder ? SourceFile(path: path, text: "") : nil
            }
        }
        expectNone(findings)
    }

    @Test func `has tables whose rows fit below each other`() {
        expectNone(SourceTree.files(endings: [".md"]).flatMap(DocumentationRules.brokenRows))
    }

    @Test func `compiles and runs the code of its tutorial`() throws {
        let document = try #require(SourceTree.read("Docs/JobKit.md"))
        let sources = SourceTree.swiftFiles.filter { file in
            ["JobSpecTests", "JobHTTPTests", "DurableJobsTests"].contains {
                file.path.hasPrefix("Tests/\($0)/Tutorial")
            }
        }
        #expect(TutorialRules.blocks(in: document).count > 10)
        expectNone(TutorialRules.findings(document: document, sources: sources))
    }

    @Test func `quotes the adapters that are compiled`() throws {
        let document = try #require(SourceTree.read("Docs/Observability.md"))
        let sources = SourceTree.swiftFiles.filter { $0.lies(in: ["Examples/adapters"]) }
        #expect(TutorialRules.blocks(in: document).count == 4)
        expectNone(TutorialRules.findings(document: document, sources: sources))
    }

    @Test func `asserts something in every test file`() {
        let silent = SourceTree.swiftFiles.filter {
            $0.lies(in: ["Tests"]) && !DocumentationRules.asserts($0)
        }
        #expect(silent.map(\.path) == [])
    }

    @Test func `has examples that can be run`() {
        let scripts = SourceTree.paths.filter {
            ($0.hasPrefix("Examples/") && $0.hasSuffix(".sh") && $0 != "Examples/prelude.sh")
                || $0 == ".ci/run"
        }
        for path in scripts {
            let isExecutable = FileManager.default.isExecutableFile(
                atPath: SourceTree.root.appending(path: path).path)
            #expect(isExecutable, "\(path) must be executable")
            #expect(SourceTree.read(path)?.lines.first?.hasPrefix("#!") == true, "\(path) must start with #!")
        }
    }
}
