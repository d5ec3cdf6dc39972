import HTTPMessage
import JobKit
import StrictJSON
import Testing

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
        // What is left of the value are at most the bits of a digit on each side.
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

    @Test func `works on pieces as on the whole, wherever they are cut`() {
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

    @Test func `passes on at once what cannot be a part of anything`() {
        scrubber.know(bytes("hunter22"))
        var stream = StreamScrubber(scrubber)
        #expect(stream.take(bytes("some text, then hun").span) == bytes("some text, then "))
        #expect(stream.take(bytes("ting").span) == bytes("hunting"))
        #expect(stream.finish() == [])
    }
}
