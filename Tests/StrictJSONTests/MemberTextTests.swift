import StrictJSON
import Testing

@Suite struct `The text of a member` {
    private func text(_ name: String, in text: String) -> String? {
        let bytes = Array(text.utf8)
        return JSONMemberText.range(of: Array(name.utf8), in: bytes).map {
            String(decoding: bytes[$0], as: UTF8.self)
        }
    }

    @Test func `is the text without the white space around it`() {
        let object = #" { "a\"" : 1, "b" : { "c" : [ "}", ",\"" , 2 ] } , "c":"x,\\","d":null }"#
        #expect(text("b", in: object) == #"{ "c" : [ "}", ",\"" , 2 ] }"#)
        #expect(text("c", in: object) == #""x,\\""#)
        #expect(text("d", in: object) == "null")
    }

    @Test(arguments: [
        "{}", "[]", "1", "", "{", #"{"a""#, #"{"a":{"b":1}}"#, #"{"\u0062":1}"#, #"{"bb":1,"x":"b"}"#,
        #"{"b\"#, #"{"b":"\"#,
    ])
    func `is not found where there is no such member`(object: String) {
        #expect(text("b", in: object) == nil)
    }

    @Test func `is found in every document as a parser finds it`() throws {
        var random = RandomValues(seed: 7)
        for place in 0..<400 {
            var object = JSONObject()
            for number in 0..<4 {
                object[number == place % 4 ? "metadata" : "m\(number)"] = random.value(depth: 2)
            }
            let whole = JSONValue.object(object)
            for bytes in [whole.encoded(), whole.encoded(indent: 2)] {
                let place = try #require(JSONMemberText.range(of: Array("metadata".utf8), in: bytes))
                #expect(try JSONParser.parse(Array(bytes[place])) == object["metadata"])
            }
        }
    }
}
