import StrictJSON
import Testing

@Suite struct `A parser` {
    @Test func `reads every kind of value`() throws {
        let text = #" {"a": [1, -2.50, true, false, null], "b": {"c": "x\u00e9\n"}, "d": {}, "e": []} "#
        let value = try JSONParser.parse(text: text)
        let expected: JSONValue = [
            "a": [1, .number(JSONNumber(checkedText: "-2.50")), true, false, .null], "b": ["c": "x\u{e9}\n"],
            "d": [:], "e": [],
        ]
        #expect(value == expected)
    }

    @Test func `keeps the order of members and the text of numbers`() throws {
        let text = #"{"z":1.0,"a":10000000000000000000001,"m":1E+2,"b":-0}"#
        #expect(try JSONParser.parse(text: text).encoded() == Array(text.utf8))
    }

    @Test func `distinguishes canonically equivalent names`() throws {
        let object = try #require(try JSONParser.parse(text: "{\"\u{e9}\":1,\"e\u{301}\":2}").object)
        #expect(object.count == 2)
        #expect(object["\u{e9}"] == 1)
        #expect(object["e\u{301}"] == 2)
    }

    @Test(arguments: [2, 15, 16, 17, 18, 40, 1000])
    func `refuses a repeated name in an object of any size`(count: Int) throws {
        let names = (0..<count).map { "name\($0)" }
        for repeated in [names[0], names[count / 2], names[count - 1]] {
            let text = "{" + (names + [repeated]).map { "\"\($0)\":0" }.joined(separator: ",") + "}"
            let error = #expect(throws: JSONParseError.self) { try JSONParser.parse(text: text) }
            #expect(error?.code == .duplicateMember)
            #expect(error?.pointer.description == "/" + repeated)
        }
        let unique = "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}"
        #expect(try JSONParser.parse(text: unique).object?.count == count)
    }

    /// Text is scanned several bytes at a time, so every byte is tried at every position of such a word.
    @Test(arguments: [UInt8](0..<0x80), ["a", "é", "\u{7F}", "😀"])
    func `takes plain characters of a string, and no others, at every position`(
        byte: UInt8, other: String
    ) throws {
        for before in 0..<10 {
            for after in [0, 1, 9] {
                let around = [before, after].map { String(repeating: other, count: $0).utf8 }
                let text = [0x22] + Array(around[0]) + [byte] + Array(around[1]) + [0x22]
                let isPlain = byte >= 0x20 && byte != 0x22 && byte != 0x5C
                let read = try? JSONParser.parse(text)
                #expect((read != nil) == isPlain, "\(text)")
                if isPlain { #expect(read?.string?.utf8.elementsEqual(text[1..<text.count - 1]) == true) }
                // A zero byte at the beginning is taken for UTF-16.
                guard 1..<0x20 ~= byte else { continue }
                let error = #expect(throws: JSONParseError.self) { try JSONParser.parse(text) }
                #expect(error?.offset == 1 + around[0].count)
            }
        }
    }

    @Test func `sees through escapes when it looks for repeated names`() {
        let error = #expect(throws: JSONParseError.self) {
            try JSONParser.parse(text: #"{"ab":1,"\u0061b":2}"#)
        }
        #expect(error?.code == .duplicateMember)
        #expect(error?.offset == 8)
    }
}
