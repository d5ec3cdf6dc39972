import Testing

@testable import JobSpec

@Suite struct `A word for a shell` {
    private func text(_ bytes: [UInt8]) -> ShellText {
        var text = ShellText()
        text.append(bytes)
        return text
    }

    private static let words: [[UInt8]] = {
        var texts = HostileTexts()
        return [[]] + (0..<600).map { _ in texts.bytes() } + (1...255).map { [UInt8($0)] }
            + (1...255).map { [0x27, UInt8($0), 0x27] }
    }()

    @Test(arguments: RealShell.names) func `is passed on byte by byte, and runs nothing`(name: String) throws
    {
        let shell = try RealShell(name)
        defer { shell.remove() }
        let words = try Self.words.map { try #require(text($0).word) }
        let script = "curl " + words.joined(separator: " ") + "\n"
        let arguments = try shell.arguments(script.utf8)
        #expect(arguments.count == words.count + 1)
        for (word, (wanted, got)) in zip(words, zip(Self.words, arguments)) {
            #expect(got == wanted, "\(word)")
        }
        #expect(!shell.hasRunMore)
    }

    @Test func `comes back as the same bytes`() throws {
        for bytes in Self.words {
            let word = try #require(text(bytes).word)
            let reader = ShellReader(Array("curl \(word)".utf8))
            #expect(reader.problems == [], "\(word)")
            #expect(reader.commands.first?.dropFirst().map(\.bytes) == [bytes], "\(word)")
        }
    }

    @Test func `can be shown: no control character is in it`() throws {
        for bytes in Self.words {
            let word = try #require(text(bytes).word)
            let isShown = word.unicodeScalars.allSatisfy { scalar in
                scalar == "\n"
                    || scalar.properties.generalCategory != .control && !(0x202A...0x202E ~= scalar.value)
            }
            #expect(isShown, "\(word)")
        }
    }

    @Test func `has no NUL`() { #expect(text([0x61, 0]).word == nil) }

    @Test(arguments: [
        ("it's", #"'it'\''s'"#), ("'\u{301}", "''\\''\u{301}'"), ("\u{E000}X\u{E001}", "'\u{E000}X\u{E001}'"),
        ("a\tb'%\n", #""$(printf 'a\011b\047%%')"'"# + "\n'"), ("https://a.example/x", "https://a.example/x"),
    ])
    func `is quoted by its bytes`(text: String, word: String) {
        #expect(ShellText.word(text).map { Array($0.utf8) } == Array(word.utf8))
    }

    @Test func `is a variable only where it was made as one`() {
        var text = ShellText("a'\u{E000}X\u{E001}")
        text.append(ShellVariable(["pay", "key;rm"]))
        #expect(text.word == "'a'\\''\u{E000}X\u{E001}'\"$V_PAY_KEY_RM\"")
    }
}

@Suite struct `A comment for a shell` {
    @Test(arguments: RealShell.names) func `runs nothing, not even pasted`(name: String) throws {
        let shell = try RealShell(name)
        defer { shell.remove() }
        var texts = HostileTexts()
        let comments = (0..<200).map { _ in "# \(ShellText.comment(texts.text()))\n" }
        let script = comments.joined() + "curl end\n"
        for isInteractive in [false, true] {
            let arguments = try shell.arguments(script.utf8, isInteractive: isInteractive)
            #expect(arguments == [Array("end".utf8), []])
            #expect(!shell.hasRunMore)
        }
    }
}
