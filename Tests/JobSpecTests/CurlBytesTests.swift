import StrictJSON
import Testing

@testable import JobSpec

@Suite struct `The bytes of a curl command line` {
    private func problems(_ line: String) -> [String] {
        do throws(SpecProblems) {
            _ = try CurlScript(Array("curl http://a.example \(line)".utf8))
            return []
        } catch { return error.list.map(\.detail) }
    }

    private func request(_ line: String) throws -> JSONObject? {
        try CurlScript(Array("curl http://a.example \(line)".utf8)).spec.object?["request"]?.object
    }

    @Test(arguments: [
        (#"-u $'\xe9:x'"#, 26, "-u has"), (#"-H $'X-A: a\xe9'"#, 26, "-H 'X-A: …' has"),
        (#"-b $'a=\xe9'"#, 26, "-b has"), (#"-A $'\xe9'"#, 26, "-A has"), (#"-e $'\xe9'"#, 26, "-e has"),
        (#"--oauth2-bearer $'\xe9'"#, 39, "--oauth2-bearer has"),
        (#"-F $'\xe9=x'"#, 26, "The name in -F has"),
        (#"-F $'a=x;filename=\xe9'"#, 26, "The filename in -F has"),
        (#"-F $'a=x;type=text/\xe9'"#, 26, "The type in -F has"),
        (#"--form-string $'\xe9=x'"#, 37, "The name in --form-string has"),
        (#"-X $'\xe9'"#, 26, "-X has"), (#"-x $'http://\xe9'"#, 26, "-x has"),
        (#"-U $'\xe9:a'"#, 26, "-U has"),
        (#"--noproxy $'\xe9'"#, 33, "--noproxy has"), (#"-o $'\xe9'"#, 26, "-o has"),
        (#"--url-query $'\xe9=a'"#, 35, "--url-query has"), (#"-G -d $'a=\xe9'"#, 29, "--data-urlencode"),
        (#"-H $'X-\xe9: a'"#, 26, "is no header"),
    ])
    func `are refused with their place where text is needed`(line: String, column: Int, hint: String) throws {
        let problem = try #require(problems(line).first)
        #expect(problem.hasPrefix("At line 1, column \(column): "), "\(problem)")
        #expect(problem.contains(hint), "\(problem)")
    }

    @Test(arguments: [
        (#"$'http://a.example/\xe9'"#, "The URL has a byte that is not UTF-8 (0xE9, byte 18 of it)"),
        (
            "http://u:%E9@a.example/",
            "The password in the URL has a byte that is not UTF-8 (0xE9, byte 1 of it)"
        ),
        ("http://%E9@a.example/", "The user name in the URL has a byte"),
    ])
    func `are refused in a URL`(url: String, hint: String) {
        do throws(SpecProblems) {
            _ = try CurlScript(Array("curl \(url)".utf8))
            Issue.record("It was taken.")
        } catch { #expect(error.list.first?.detail.contains(hint) == true, "\(error.list)") }
    }

    @Test func `are sent as content`() throws {
        #expect(try request(#"-d $'a=\xe9'"#)?["base64"] == "YT3p")
        #expect(try request(#"--data-urlencode $'\xe9=\xe9'"#)?["base64"] == "6T0lRTk=")
        #expect(try request(#"-G --data-urlencode $'a=\xe9'"#)?["url"] == "http://a.example?a=%E9")
        let parts = try request(#"-F $'a=\xe9'"#)?["multipart"]?.array
        #expect(parts?.first?.object?["base64"] == "6Q==")
    }

    @Test(arguments: [
        (#"$'\ud83d\ude00'"#, "\u{1F600}"), (#"$'\uD83D\uDE00\ud83d\ude00'"#, "\u{1F600}\u{1F600}"),
        (#"$'\u0041\u00e9\u20ac'"#, "Aé€"), (#"$'\u0021'"#, "!"),
    ])
    func `are those of the characters that browsers write in halves`(word: String, text: String) {
        let reader = ShellReader(Array(word.utf8))
        #expect(reader.problems == [])
        #expect(reader.commands.first?.first.map(\.bytes) == Array(text.utf8))
    }

    @Test(arguments: [
        #"$'\ud83d'"#, #"$'\ud83dx'"#, #"$'\ude00\ud83d'"#, #"$'\ud83d\u0041'"#, #"$'\ud83d\n'"#,
        #"$'\U0000d83d'"#,
    ])
    func `are none for half a character`(word: String) throws {
        let problem = try #require(ShellReader(Array("a \(word)".utf8)).problems.first)
        #expect(problem.detail.contains("half of a character"))
        #expect(problem.place.line == 1 && problem.place.column > 4)
    }

    @Test(arguments: [
        (#""$(printf 'a\033%%')""#, "a\u{1B}%"), (#"x"y$(printf '\012a\012\012')z""#, "xy\naz"),
        (#""$(printf '')""#, ""),
    ])
    func `are read from printf with nothing to fill in`(word: String, text: String) {
        let reader = ShellReader(Array(word.utf8))
        #expect(reader.problems == [])
        #expect(reader.commands.first?.first.map(\.bytes) == Array(text.utf8))
    }

    @Test(arguments: [
        #"$(printf 'a')"#, #""$(printf '%s')""#, #""$(printf 'a' b)""#, #""$(printf '\x41')""#,
        #""$(printf '\400')""#,
        #""$(printf 'a"#, #""$(printf a)""#, #""$(printf 'a'; ls)""#,
    ])
    func `are not read from any other command`(word: String) {
        #expect(ShellReader(Array(word.utf8)).problems.isEmpty == false)
    }

    /// A combining mark makes one grapheme with the byte before it.
    @Test(arguments: [
        ("-H $'X-A:\\u0301b'", "headers", #"{"X-A":"\u0301b"}"#),
        ("-H $'X-A: \\u0301'", "headers", #"{"X-A":"\u0301"}"#),
        ("-u $'a:\\u0301b'", "auth", #"{"type":"basic","username":"a","password":"\u0301b"}"#),
        ("-G -d $'\\u0301'", "url", #""http://a.example?%CC%81""#),
    ])
    func `count, not what is seen`(line: String, member: String, wanted: String) throws {
        #expect(try request(line)?[member] == JSONParser.parse(Array(wanted.utf8)))
    }

    @Test(arguments: [
        ("http://a.example/b/../\u{301}c", "http://a.example/%CC%81c"),
        ("http://a.example/b?\u{301}/../", "http://a.example/b?%CC%81/../"),
        ("http://a:b@\u{301}/#\u{301}", "http://\u{301}/"),
    ])
    func `count in a URL, too`(written: String, wanted: String) throws {
        let spec = try CurlScript(Array("curl '\(written)'".utf8)).spec
        let url = try #require(spec.object?["request"]?.object?["url"]?.string)
        #expect(Array(url.utf8) == Array(wanted.utf8))
    }
}
