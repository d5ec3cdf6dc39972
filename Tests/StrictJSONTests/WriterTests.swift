import StrictJSON
import Testing

@Suite struct `A writer` {
    private func text(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter()
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    @Test func `puts the commas where they belong`() {
        let written = text { json in
            json.beginObject()
            json.member("id", "job_1")
            json.member("attempt", 2)
            json.name("empty")
            json.beginArray()
            json.endArray()
            json.name("list")
            json.beginArray()
            json.value(1)
            json.beginObject()
            json.endObject()
            json.value("x")
            json.beginArray()
            json.value(true)
            json.null()
            json.endArray()
            json.endArray()
            json.member("done", false)
            json.member("error", nil)
            json.endObject()
        }
        let start = #"{"id":"job_1","attempt":2,"empty":[],"list":[1,{},"x",[true,null]],"#
        #expect(written == start + #""done":false,"error":null}"#)
    }

    @Test(arguments: [0, 1, 9, 10, 99, 100, 12_345_678_901_234, .max, -1, -10, .min] as [Int64])
    func `writes whole numbers exactly`(number: Int64) {
        #expect(text { $0.value(number) } == String(number))
    }

    @Test func `writes values outside JSON as null`() {
        #expect(text { $0.value(Double.nan) } == "null")
        #expect(text { $0.value(-Double.infinity) } == "null")
        #expect(text { $0.value(0.5) } == "0.5")
        #expect(text { $0.value(3.0) } == "3")
    }

    @Test func `writes numbers of thousandths as any others, in the shortest text`() {
        var number = 1.0
        for step in 0..<1_000 {
            number = number * -1.618 + Double(step % 7)
            let short = [1_000, 100, 10].map { (number * $0).rounded() / $0 }
            for value in short + [number, 1 / number] {
                #expect(text { $0.value(value) } == JSONNumber(value)?.text)
            }
        }
        #expect(text { $0.value(0.001) } == "0.001")
        #expect(text { $0.value(-12.05) } == "-12.05")
        #expect(text { $0.value(-0.0) } == "0")
    }

    @Test func `writes numbers as they were written`() throws {
        let number = try #require(JSONNumber(text: "-1.50E+03"))
        #expect(text { $0.value(number) } == "-1.50E+03")
    }

    @Test(arguments: [
        ("", "\"\""), ("plain", "\"plain\""), ("\"", #""\"""#), ("\\", #""\\""#), ("a\"b\\c", #""a\"b\\c""#),
        ("\u{8}\t\n\u{c}\r", #""\b\t\n\f\r""#), ("\u{0}\u{1f}", #""\u0000\u001f""#), ("/", "\"/\""),
        ("\u{7f}\u{80}", "\"\u{7f}\u{80}\""), ("\u{e9}\u{20ac}\u{1F600}", "\"\u{e9}\u{20ac}\u{1F600}\""),
        ("\r\n", #""\r\n""#),
        ("\u{2028}", "\"\u{2028}\""),
    ])
    func `escapes only the required characters`(value: String, written: String) {
        #expect(text { $0.value(value) } == written)
        #expect(text { $0.name(value) } == written + ":")
    }

    @Test func `escapes at every place of strings and names of every length`() throws {
        for count in 0..<130 {
            for special in stride(from: 0, through: count, by: max(1, count / 7)) {
                var characters = [Character](repeating: "x", count: count)
                characters.insert("\"", at: special)
                let text = String(characters)
                let value = JSONValue.object(JSONObject([(text, .string(text)), (text + "2", .null)]))
                #expect(try JSONParser.parse(value.encoded()) == value)
            }
            let plain = JSONValue.string(String(repeating: "\u{e9}", count: count))
            #expect(try JSONParser.parse(plain.encoded()) == plain)
        }
    }

    @Test func `takes JSON that is already written`() {
        let written = text { json in
            json.beginObject()
            json.member("result", raw: Array(#"{"a":1}"#.utf8))
            json.member("next", .array([1, "two"]))
            json.member("object", JSONObject([("k", .null)]))
            json.endObject()
        }
        #expect(written == #"{"result":{"a":1},"next":[1,"two"],"object":{"k":null}}"#)
    }

    @Test func `quotes text that needs no escape`() {
        let written = text { json in
            json.beginArray()
            json.plain { $0.append(contentsOf: "job_1".utf8) }
            json.plain { _ in }
            json.value(1)
            json.endArray()
        }
        #expect(written == #"["job_1","",1]"#)
    }

    @Test func `indents for people`() {
        let value: JSONValue = ["a": [1, ["b": [:]], []], "c": "d"]
        let expected = """
            {
              "a": [
                1,
                {
                  "b": {}
                },
                []
              ],
              "c": "d"
            }
            """
        #expect(String(decoding: value.encoded(indent: 2), as: UTF8.self) == expected)
    }

    @Test(arguments: [
        ("plain \"text\"\n", #""plain \"text\"\n""#),
        ("caf\u{e9} \u{4E2D} \u{1F600}", "\"caf\u{e9} \u{4E2D} \u{1F600}\""),
        ("\u{7f}", #""\u007f""#), ("a\u{85}b\u{9b}31m", #""a\u0085b\u009b31m""#),
        ("\u{2028}\u{2029}", #""\u2028\u2029""#), ("\u{202e}txt", #""\u202etxt""#),
        ("\u{a0}\u{3000}", #""\u00a0\u3000""#),
        ("\u{feff}\u{200b}", #""\ufeff\u200b""#), ("\u{E0041}", #""\udb40\udc41""#),
        ("\u{e9}\r\"\\", "\"\u{e9}\\r\\\"\\\\\""),
    ])
    func `shows every character of a visible string`(value: String, written: String) throws {
        #expect(text { $0.value(visible: value) } == written)
        #expect(try JSONParser.parse(text: written) == .string(value))
        #expect(text { $0.member("m", visible: value) } == "\"m\":" + written)
    }

    @Test func `ends no line inside a visible string`() throws {
        let everything = String(String.UnicodeScalarView((0...0x3100).compactMap(Unicode.Scalar.init)))
        let written = text { $0.value(visible: everything) }
        #expect(!written.contains { $0.isNewline })
        #expect(written.unicodeScalars.allSatisfy { $0.value >= 0x20 && !(0x7F...0x9F).contains($0.value) })
        #expect(try JSONParser.parse(text: written) == .string(everything))
    }
}
