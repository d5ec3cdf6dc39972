import Testing

/// Each rule finds bad code and accepts good code.
@Suite struct `The tidy rules` {
    private func swift(_ path: String, _ text: String) -> SourceFile { SourceFile(path: path, text: text) }

    @Test(arguments: [
        ("Sources/StrictJSON/A.swift", "import Glibc"),
        ("Sources/HTTPMessage/A.swift", "public import StrictJSON"),
        ("Sources/JobSpec/Values/A.swift", "import FoundationEssentials"),
        ("Sources/JobKit/Model/A.swift", "import JobSpec"),
        ("Sources/JobSpec/Values/A.swift", "@testable import JobStore"),
        ("Sources/EventIO/A.swift", "package import JobKit"),
        ("Sources/JobStore/Ledger/A.swift", "import CSystemSQLite"),
        ("Sources/JobServer/HTTP/A.swift", "import struct COpenSSL.Digest"),
        ("Sources/JobServer/HTTP/A.swift", "import CEvent"),
        ("Sources/JobRunner/A.swift", "import CurlHTTP"),
        ("Sources/NoSuchRoom/A.swift", "import StrictJSON"),
        ("Tests/EventIOTests/A.swift", "import CEvent"),
        ("Sources/JobServerProgram/main.swift", "import JobKit"),
        ("Examples/library/Sources/main.swift", "import StrictJSON"),
        ("Sources/JobKit/Package.swift", "import PackageDescription"),
    ])
    func `refuse an import that points up or sideways`(path: String, line: String) {
        #expect(ImportRules.findings(in: swift(path, "// text\n" + line + "\n")).map(\.line) == [2])
    }

    @Test(arguments: [
        ("Sources/JobKit/A.swift", "public import StrictJSON"),
        ("Sources/JobKit/Operation/SystemClock.swift", "import FoundationEssentials"),
        ("Sources/EventIO/TLS/A.swift", "import COpenSSL"),
        ("Sources/SQLiteStore/Schema/A.swift", "import CSystemSQLite"),
        ("Sources/OpenSSLCrypto/A.swift", "import COpenSSL"),
        ("Sources/JobStore/Ledger/A.swift", "// import CSystemSQLite"),
        ("Tests/EventIOTests/A.swift", "@testable import EventIO"),
        ("Examples/library/Sources/main.swift", "import JobKit"),
        ("Examples/library/Package.swift", "import PackageDescription"),
    ])
    func `allow an import that points down`(path: String, line: String) {
        #expect(ImportRules.findings(in: swift(path, line)).isEmpty)
    }

    @Test func `find a long file, a long function and a long line`() {
        let long = String(repeating: "let a = 1\n", count: SizeRules.fileLinesMax + 1)
        #expect(SizeRules.findings(in: swift("A.swift", long)).map(\.message) == ["400 lines; at most 399"])
        #expect(SizeRules.findings(in: swift("A.swift", String(long.dropLast(10)))).isEmpty)

        let step = "    a(\"}\") // }\n"
        func function(lines: Int) -> String {
            "func a(\n    _ b: () -> Void = {}) {\n" + String(repeating: step, count: lines - 3) + "}\n"
        }
        let most = function(lines: SizeRules.functionLinesMax)
        #expect(SizeRules.findings(in: swift("A.swift", most)).isEmpty)
        let more = "protocol P {\n    func b()\n}\n" + function(lines: SizeRules.functionLinesMax + 1)
        #expect(SizeRules.findings(in: swift("A.swift", more)).map(\.line) == [4])

        let wide = String(repeating: "ü", count: SizeRules.codeColumnsMax - 2)
        #expect(SizeRules.findings(in: swift("A.swift", "a(" + wide)).isEmpty)
        #expect(SizeRules.findings(in: swift("A.swift", "a(b" + wide)).count == 1)
        #expect(SizeRules.findings(in: swift("A.swift", "a(\"" + wide + "\")")).isEmpty)
        #expect(
            SizeRules.findings(in: swift("A.swift", "a(\"" + wide + String(repeating: "b", count: 40))).count
                == 1)
        #expect(SizeRules.findings(in: swift("A.swift", "// b" + wide)).isEmpty)
        #expect(SizeRules.findings(in: swift("A.swift", "// 12345678901" + wide)).count == 1)
    }

    @Test(arguments: UnsafeRules.risky)
    func `refuse a risky word without a reason or outside the glass rooms`(word: String) {
        let plain = "func a() {\n    \(word)\n}\n"
        let explained = "func a() {\n    // Safe because nobody else sees it.\n    \(word)\n}\n"
        #expect(UnsafeRules.findings(in: swift("Sources/EventIO/A.swift", plain)).count == 1)
        #expect(UnsafeRules.findings(in: swift("Sources/EventIO/A.swift", explained)).isEmpty)
        #expect(!UnsafeRules.findings(in: swift("Sources/JobKit/A.swift", explained)).isEmpty)
        #expect(
            UnsafeRules.findings(in: swift("Sources/JobKit/A.swift", "// \(word)\nlet a = \"\(word)\""))
                .isEmpty)
    }

    @Test func `refuse unsafe code outside the glass rooms`() {
        let line = "let a = unsafe b.pointee"
        #expect(UnsafeRules.findings(in: swift("Sources/StrictJSON/A.swift", line)).count == 1)
        #expect(UnsafeRules.findings(in: swift("Sources/JobStore/Ledger/A.swift", line)).count == 1)
        #expect(UnsafeRules.findings(in: swift("Sources/SQLiteStore/Schema/A.swift", line)).isEmpty)
        #expect(!UnsafeRules.findings(in: swift("Sources/JobKit/A.swift", "var a: UnsafeRawPointer")).isEmpty)
    }

    @Test(arguments: WordRules.names)
    func `refuse a meaningless name`(name: String) {
        #expect(WordRules.namelessPaths(["Sources/JobKit/\(name)/A.swift"]).count == 1)
        #expect(WordRules.namelessPaths(["Sources/JobKit/\(name).swift"]).count == 1)
        #expect(WordRules.namelessPaths(["Sources/JobKit/String+\(name).swift"]).count == 1)
        #expect(WordRules.namelessPaths(["Sources/JobKit/\(name)Job.swift"]).isEmpty)
    }

    @Test func `find a cycle between folders at every depth`() {
        func cycles(_ path: String, _ text: String) -> [String] {
            let other = swift("Sources/JobKit/Operation/Life/A.swift", "struct A {\n    let b: B?\n}\n")
            let graphs = ArrowRules.graphs(of: [other, swift("Sources/JobKit/" + path, text)])
            return graphs.filter { $0.cycle != nil }.map(\.name)
        }
        let back = "struct B {\n    let a: [A]\n}\n"
        #expect(cycles("Operation/Core/B.swift", "struct B {}\n").isEmpty)
        #expect(cycles("Operation/Life/B.swift", back).isEmpty)
        #expect(cycles("Operation/Core/B.swift", back) == ["folders of JobKit/Operation"])
        #expect(cycles("Operation/B.swift", back) == ["folders of JobKit/Operation"])
        #expect(cycles("Model/B.swift", back) == ["folders of JobKit"])
    }

    @Test(arguments: WordRules.marks)
    func `find a mark of unfinished work`(mark: String) {
        #expect(WordRules.unfinished(in: swift("A.swift", "// \(mark): later")).count == 1)
        #expect(WordRules.unfinished(in: swift("A.swift", "// a\(mark)b")).isEmpty)
    }

    @Test func `find a comment that paraphrases a term`() {
        for phrase in WordRules.paraphrases {
            #expect(WordRules.circumlocutions(in: swift("A.swift", "    // Then \(phrase), too.")).count == 1)
            #expect(WordRules.circumlocutions(in: swift("A.swift", "let a = \"\(phrase)\"")).isEmpty)
        }
        for word in WordRules.questions {
            #expect(WordRules.circumlocutions(in: swift("A.swift", "/// \(word) it is.")).count == 1)
            #expect(WordRules.circumlocutions(in: swift("A.swift", "/// It is \(word) it is.")).isEmpty)
        }
    }

    @Test func `find words about how the work was organised`() {
        for place in WordRules.places {
            #expect(WordRules.organisation(in: SourceFile(path: "A.md", text: "see \(place)x")).count == 1)
        }
        for word in WordRules.numbered {
            #expect(WordRules.organisation(in: SourceFile(path: "A.md", text: "see \(word) 12")).count == 1)
            #expect(WordRules.organisation(in: SourceFile(path: "A.md", text: "see \(word) #12")).count == 1)
            #expect(WordRules.organisation(in: SourceFile(path: "A.md", text: "a TLS \(word) ends")).isEmpty)
        }
    }

    @Test func `find a package type without a summary`() {
        let bad = "package struct A {\n    package func b() {}\n}\n"
        #expect(DocumentationRules.undocumented(in: swift("A.swift", bad)).map(\.line) == [1])
        let good = "/// An A.\n@frozen\npackage struct A {\n    package let a = 1\n}\n"
        #expect(DocumentationRules.undocumented(in: swift("A.swift", good)).isEmpty)
    }

    @Test func `find a broken link`() {
        let page = SourceFile(
            path: "Docs/A.md", text: "# One thing\n[a](B.md) [b](../C.md#the-end) [c](#one-thing)\n")
        let others = [
            "Docs/B.md": SourceFile(path: "Docs/B.md", text: ""),
            "C.md": SourceFile(path: "C.md", text: "## The end\n"), "Docs/A.md": page,
        ]
        #expect(DocumentationRules.brokenLinks(in: page) { others[$0] }.isEmpty)
        let found = DocumentationRules.brokenLinks(in: page) {
            $0 == "C.md" ? SourceFile(path: "C.md", text: "") : nil
        }
        #expect(found.count == 3)
    }

    @Test func `find a row of a table that does not fit`() {
        let page = SourceFile(
            path: "A.md",
            text: "| a | b |\n|---|---|\n| c \\| d | e |\n| f | g | | h |\n\n```\n| i\n```\n| j |\n| k\n")
        #expect(DocumentationRules.brokenRows(in: page).map(\.line) == [4, 10])
    }

    @Test func `find a test file that asserts nothing`() {
        let test = "@Test func a() {"
        #expect(!DocumentationRules.asserts(swift("A.swift", test + " // #expect(true)\n}")))
        #expect(DocumentationRules.asserts(swift("A.swift", test + " #expect(a)\n}")))
        #expect(DocumentationRules.asserts(swift("A.swift", "let a = 1")))
    }

    @Test func `see code without comments and strings`() {
        let text =
            "a \"x \\(b(\"}\")) y\" /* c /* d */ e */ f // g\n#\"h\"# i `j k` \"\"\"\n l \"m\" \n\"\"\" n"
        let words = CodeView.lines(of: text).map { $0.split(separator: " ").joined(separator: " ") }
        #expect(words == ["a f", "i q", "", "n"])
    }

    @Test func `find code in a tutorial that is not compiled`() {
        let source = swift(
            "T.swift", "  // region: a\n  let a = 1\n    + 2\n  // end\n// region: b\n// end\n")
        func findings(_ text: String) -> [String] {
            let found = TutorialRules.findings(document: swift("T.md", text), sources: [source])
            return found.map { String($0.message.prefix(20)) }
        }
        let good = "<!-- region: a -->\n```swift\nlet a = 1\n  + 2\n```\n<!-- region: b -->\n```swift\n```\n"
        #expect(findings(good).isEmpty)
        #expect(findings(good + "```swift\nlet c = 3\n```\n") == ["this code is in no r"])
        #expect(findings(good.replacing("a = 1", with: "a = 2")) == ["a must be:\n```swift\n"])
        #expect(findings("") == ["the region a is nowh", "the region b is nowh"])
    }

    @Test func `find a word of another thing in texts, names and strings`() {
        let glossary = GlossaryRules(
            swift(
                "G.md",
                "| job | a unit | task |\n| callback | a call | webhook |\n| grant | allows | mutex (of C) |")
        )
        func lines(_ found: [Finding]) -> [Int] { found.map(\.line) }
        #expect(lines(glossary.findings(in: swift("Docs/A.md", "a job\nthe webhooks"))) == [2])
        let names =
            "task_id: {\n  a: { enum: [job, webhook_url] }\n  description: a task\n  operationId: putMutex"
        #expect(lines(glossary.contractFindings(in: swift("openapi.yaml", names))) == [1, 2, 4])
        #expect(lines(glossary.typeFindings(in: swift("A.swift", "struct JobA {}\nenum TaskB {}"))) == [2])
        let code = "let webhook = \"a job\"\nlet a = \"the webhook\"\n// \"webhook\""
        #expect(lines(glossary.stringFindings(in: swift("Sources/JobSpec/A.swift", code))) == [2])
    }
}
