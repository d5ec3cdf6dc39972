import HTTPMessage
@testable import JobKit
import StrictJSON
import Testing
import TestOperations

@Suite struct `A scrubber` {
    private let scrubber = SecretScrubber()

    private func bytes(_ text: String) -> [UInt8] { Array(text.utf8) }

    @Test func `puts stars in the place of a value`() {
        scrubber.know(bytes("hunter22"))
        #expect(scrubber.scrubbed("a hunter22, and hunter22hunter22") == "a ***, and ******")
        #expect(scrubber.scrubbed("hunter2 and hunter") == "hunter2 and hunter")
    }

    @Test func `leaves everything alone as long as it knows nothing`() {
        #expect(scrubber.isEmpty)
        #expect(scrubber.scrubbed("anything at all") == "anything at all")
        scrubber.know(bytes("abc"))
        #expect(scrubber.isEmpty, "values of less than four bytes are not looked for")
    }

    @Test(arguments: [
        "p%C3%A4ss%20w%2Frd%26", "p%c3%a4ss%20w%2frd%26", "p%C3%A4ss+w%2Frd%26", "p%C3%A4ss%20w/rd%26",
        "päss w/rd&", #"p\u00e4ss w/rd&"#, "päss w/rd&amp;",
    ])
    func `finds a value however it was encoded`(form: String) {
        scrubber.know(bytes("päss w/rd&"))
        #expect(scrubber.scrubbed("<\(form)>") == "<***>")
    }

    @Test(arguments: [
        #"S3cr\/t+val<&>'\"é"#, #"S3cr/t+val\u003c\u0026\u003e'\"é"#, #"S3cr/t+val<&>'\"\u00E9"#,
        #"S3cr/t\u002Bval\u003C\u0026\u003E\u0027\u0022\u00e9"#, #"S3cr\u002ft+val<&>\x27\x22\xe9"#,
        "S3cr/t+val&lt;&amp;&gt;&#x27;&quot;é", "S3cr/t+val&lt;&amp;&gt;&#039;&#34;&eacute;",
        "S3cr&#x2F;t&#43;val&lt;&amp;&gt;&apos;&quot;&#233;",
        "S3cr&sol;t&plus;val&lt;&amp;&gt;&apos;&quot;&#xE9;",
        "S3cr%2Ft%2Bval%3C%26%3E'%22%C3%A9", "S3cr/t+val%3C&%3E%27%22%c3%a9",
        "%53%33%63%72%2F%74%2B%76%61%6C%3C%26%3E%27%22%C3%A9",
        "S3cr%252Ft%252Bval%253C%2526%253E'%2522%25C3%25A9",
        #"S3cr\\\/t+val\\u003c\\u0026\\u003e'\\\"é"#,
        #"S3cr/t+val\u0026lt;\u0026amp;\u0026gt;\u0026#39;\u0026#34;é"#,
        "S3cr/t+val&amp;lt;&amp;amp;&amp;gt;&amp;#039;&amp;quot;é", #"S3cr\u002Ft%2Bval&lt;&amp;>'\"é"#,
    ])
    func `finds an escaped value`(form: String) {
        scrubber.know(bytes("S3cr/t+val<&>'\"é"))
        #expect(scrubber.scrubbed("a=\(form);") == "a=***;")
        var stream = StreamScrubber(scrubber)
        var output: [UInt8] = []
        for byte in bytes("a=\(form);") { output += stream.take([byte].span) }
        #expect(output + stream.finish() == bytes("a=***;"), "in pieces of one byte")
    }

    @Test func `finds characters beyond the basic plane, which JSON writes as two units`() {
        scrubber.know(bytes("pass🔑word"))
        #expect(scrubber.scrubbed(#""pass\ud83d\uDD11word""#) == #""***""#)
        #expect(scrubber.scrubbed("pass&#128273;word pass&#x1F511;word") == "*** ***")
    }

    @Test func `finds base 64 in escapes, too`() {
        scrubber.know([0xFB, 0xFF, 0xFE, 0xFB, 0xFF, 0xFE, 0xFB, 0xFF])
        #expect(scrubber.scrubbed(#""+\/\/++\/\/++\/8=""#) == #""***""#)
        #expect(scrubber.scrubbed("k=%2B%2F%2F%2B%2B%2F%2F%2B%2B%2F8%3D&") == "k=***&")
    }

    @Test func `finds a value in ISO 8859-1`() {
        scrubber.know(bytes("café-crème"))
        let latin1: [UInt8] = "café-crème".unicodeScalars.map { UInt8($0.value) }
        #expect(scrubber.scrubbed([0x22] + latin1 + [0x22]) == bytes(#""***""#))
        #expect(scrubber.scrubbed("caf%E9-cr%E8me") == "***")
    }

    @Test(arguments: [
        #"S3cr\/t"#, #"S3cr\u002"#, #"\u00"#, "&amp;&lt;&#x27;&#39;", "%53%33%63", #"C:\\S3cr\\u002f"#,
        "&#000000000000083;",
        "100% & more \\",
    ])
    func `leaves other escapes unchanged`(text: String) {
        scrubber.know(bytes("S3cr/t+val"))
        #expect(scrubber.scrubbed(text) == text)
        var stream = StreamScrubber(scrubber)
        #expect(stream.take(bytes(text).span) + stream.finish() == bytes(text))
    }

    @Test func `a value that looks like an escape itself is found plain and escaped`() {
        scrubber.know(bytes(#"a\u0041%41&lt;"#))
        #expect(scrubber.scrubbed(#"a\u0041%41&lt; a\\u0041%41&lt; a\u0041%2541&amp;lt;"#) == "*** *** ***")
    }

    @Test func `reads long runs of escapes in time that grows with their length alone`() {
        scrubber.know(bytes(String(repeating: "\\", count: 50) + "end"))
        let run = String(repeating: "\\", count: 200)
        #expect(scrubber.scrubbed(run) == run)
    }

    @Test func `finds a value as JSON writes it`() {
        let value = "a\"b\\c\nd"
        scrubber.know(bytes(value))
        #expect(scrubber.scrubbed(JSONValue.string(value).encoded()) == bytes(#""***""#))
    }

    @Test func `finds a value in JSON that is quoted in JSON`() {
        let value = "-----BEGIN KEY-----\n\"b\\c\"\n"
        scrubber.know(bytes(value))
        let body = String(decoding: JSONValue.array([.string(value)]).encoded(), as: UTF8.self)
        let echo = JSONValue.string(body).encoded()
        #expect(scrubber.scrubbed(echo) == bytes(#""[\"***\"]""#))
    }

    @Test(arguments: 0..<7) func `finds a value in base 64, alone and inside of something longer`(before: Int)
    {
        let value = "correct horse battery"
        scrubber.know(bytes(value))
        let whole = [UInt8](repeating: 0x41, count: before) + bytes(value) + bytes("zz")
        let text = String(decoding: scrubber.scrubbed(Base64.encode(whole)), as: UTF8.self)
        #expect(text.contains("***"))
        // At most the bits of a digit on each side are left of the value.
        let left = text.split(separator: "*").map { Base64.decode(padded($0)) ?? [] }
        for piece in left { #expect(!contains(piece, "orrect") && !contains(piece, "atter")) }
    }

    private func padded(_ text: Substring) -> [UInt8] {
        let bytes = Array(text.utf8.filter { $0 != 0x3D })
        let count = bytes.count / 4 * 4
        return Array(bytes.prefix(count))
    }

    private func contains(_ bytes: [UInt8], _ text: String) -> Bool {
        let wanted = Array(text.utf8)
        guard bytes.count >= wanted.count else { return false }
        return (0...bytes.count - wanted.count).contains { Array(bytes[$0..<$0 + wanted.count]) == wanted }
    }

    @Test func `prefers the longer of two values that begin alike`() {
        scrubber.know(bytes("token"))
        scrubber.know(bytes("token-long"))
        #expect(scrubber.scrubbed("token-long token-lon token") == "*** ***-lon ***")
    }

    @Test func `forgets the oldest of a thousand passing values, and never a lasting one`() {
        scrubber.know(bytes("lasting-value"))
        for number in 0...1_000 { scrubber.know(passing: bytes("passing-value-\(number)!")) }
        #expect(scrubber.scrubbed("lasting-value passing-value-1000!") == "*** ***")
        #expect(scrubber.scrubbed("passing-value-3!") == "passing-value-3!")
    }

    @Test func `works on chunks as on the whole, wherever they are split`() {
        for value in ["hunter22", "hunter", "aabaab", "aaaa"] { scrubber.know(bytes(value)) }
        let content = bytes("xhunter2 hunter22y aabaabaab aaaaa hunt")
        let whole = scrubber.scrubbed(content)
        for size in 1...content.count {
            var stream = StreamScrubber(scrubber)
            var output: [UInt8] = []
            for start in stride(from: 0, to: content.count, by: size) {
                output += stream.take(Array(content[start..<min(start + size, content.count)]).span)
            }
            output += stream.finish()
            #expect(output == whole, "\(size)")
        }
    }

    @Test func `leaves everything at its place where lengths count`() {
        scrubber.know(bytes("hunter22"))
        var stream = StreamScrubber(scrubber, keepsLength: true)
        let passed = stream.take(bytes("a hunter2").span) + stream.take(bytes("2 b").span) + stream.finish()
        #expect(passed == bytes("a ******** b"))
    }

    @Test func `passes on bytes immediately that cannot be part of a match`() {
        scrubber.know(bytes("hunter22"))
        var stream = StreamScrubber(scrubber)
        #expect(stream.take(bytes("some text, then hun").span) == bytes("some text, then "))
        #expect(stream.take(bytes("ting").span) == bytes("hunting"))
        #expect(stream.finish() == [])
    }
}

@Suite struct `Content with secrets` {
    /// Pieces that secrets, their escapes and their beginnings consist of.
    private static let pieces = [
        "hunter22", "hunter", "hu", "h", "\\u0068unter22", "\\", "\\n", "%68unter22", "%", "%6", "&amp;", "&",
        "+",
        "p w+d", "p%20w%2Bd", "p+w%2Bd", "aHVudGVyMjI", "\u{E9}", "x", "\n", "\"",
    ]

    @Test func `is the same however it is gone through`() throws {
        let scrubber = SecretScrubber()
        scrubber.know(Array("hunter22".utf8))
        scrubber.know(Array("p w+d".utf8))
        let patterns = scrubber.patterns
        var state: UInt32 = 7
        func next(_ count: Int) -> Int {
            state = state &* 1_664_525 &+ 1_013_904_223
            return Int(state >> 16) % count
        }
        for _ in 0..<300 {
            let bytes = (0..<next(40)).flatMap { _ in Array(Self.pieces[next(Self.pieces.count)].utf8) }
            // Each position is looked at, and nothing is skipped.
            var expected: [UInt8] = []
            var index = 0
            while index < bytes.count {
                let isLong = index + SecretForms.bytesMin <= bytes.count
                if isLong, let length = patterns.finding(in: bytes, at: index, isWhole: true).length {
                    expected += SecretPatterns.mark
                    index += length
                } else {
                    expected.append(bytes[index])
                    index += 1
                }
            }
            #expect(scrubber.scrubbed(bytes) == expected)
            var stream = StreamScrubber(scrubber)
            var output: [UInt8] = []
            var rest = bytes[...]
            while !rest.isEmpty {
                let piece = Array(rest.prefix(1 + next(9)))
                rest = rest.dropFirst(piece.count)
                output += stream.take(piece.span)
            }
            #expect(output + stream.finish() == expected)
        }
    }

    @Test(arguments: Array(UInt8(0x08)...0x7E))
    func `is found whatever it begins with, and however that is written`(first: UInt8) {
        let scrubber = SecretScrubber()
        scrubber.know([first] + Array("ecret77".utf8))
        let hex = String(first >> 4, radix: 16) + String(first & 15, radix: 16)
        var forms = [
            String(Unicode.Scalar(first)), "%\(hex)", "%\(hex.uppercased())", "%25\(hex)", "\\u00\(hex)",
            "\\x\(hex)",
            "\\\\u00\(hex)", "&#\(first);", "&#x\(hex);", "&amp;#\(first);", "%26#\(first);",
        ]
        switch first {
        case 0x08: forms.append("\\b")
        case 0x09: forms.append("\\t")
        case 0x0A: forms += ["\\n", "\\\\n"]
        case 0x0C: forms.append("\\f")
        case 0x0D: forms.append("\\r")
        case 0x20: forms += ["+", "%2B", "\\+"]
        case 0x22, 0x2F, 0x5C: forms.append("\\" + String(Unicode.Scalar(first)))
        default: break
        }
        for form in forms {
            let written = Array("<\(form)ecret77>".utf8)
            #expect(scrubber.scrubbed(written) == Array("<***>".utf8), "\(form)")
            var stream = StreamScrubber(scrubber)
            var output: [UInt8] = []
            for byte in written { output += stream.take([byte].span) }
            #expect(output + stream.finish() == Array("<***>".utf8), "\(form) in pieces of one byte")
        }
    }

    @Test(.timeLimit(.minutes(1))) func `is gone through once, however many secrets are in it`() {
        let scrubber = SecretScrubber()
        scrubber.know(Array("hunter22".utf8))
        // Copying what is done at each of them would take as long as writing 40 GB.
        let content = [[UInt8]](repeating: Array("hunter22,xx".utf8), count: 100_000).flatMap { $0 }
        let scrubbed = scrubber.scrubbed(content)
        #expect(scrubbed.count == 600_000)
    }

    private struct NotedWork: LongWork {
        let owners = Record<String>()

        func add(_ size: LongWorkSize, for owner: LongWorkOwner, _ work: @escaping @Sendable () -> Void) {
            owners.append(owner.job)
            work()
        }

        func isWaiting(_ size: LongWorkSize) -> Bool { false }
    }

    private struct Answering: Transport {
        let body: [UInt8]

        func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
            HTTPCallAnswer(
                status: 200, fields: [("X-Key", "hunter22")], body: body, exchange: HTTPCallExchange())
        }

        func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {}
    }

    @Test(arguments: [(1_000, true, 0), (200_000, true, 1), (200_000, false, 0)])
    func `that is long is gone through elsewhere`(count: Int, hasSecrets: Bool, pieces: Int) async throws {
        let work = NotedWork()
        let body = Array("hunter22".utf8) + [UInt8](repeating: 0x78, count: count)
        var environment = OperationEnvironment(transport: Answering(body: body))
        environment.longWork = work
        environment.seed = "job_1"
        if hasSecrets { environment.scrubber.know(Array("hunter22".utf8)) }
        let recipe = OperationRecipe<HTTPCallAnswer>("call") { context in
            try await context.send(HTTPCall(method: "GET", url: "http://a.example/"))
        }
        let answer = try await AOperationQueue(environment: environment).add(recipe).value
        #expect(answer.body == (hasSecrets ? Array("***".utf8) : Array("hunter22".utf8)) + body.dropFirst(8))
        #expect(answer.field("x-key") == (hasSecrets ? "***" : "hunter22"))
        #expect(work.owners.all == Array(repeating: "job_1", count: pieces))
    }
}
