import StrictJSON
import Testing

@Suite struct `A limit` {
    private func code(_ text: String, _ limits: JSONLimits) -> JSONParseError.Code? {
        do {
            _ = try JSONParser.parse(text: text, limits: limits)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `holds for the bytes of the document`() {
        #expect(code("[1, 2]", JSONLimits(bytesMax: 6)) == nil)
        #expect(code("[1, 2] ", JSONLimits(bytesMax: 6)) == .size)
        #expect(code(String(repeating: " ", count: 1 << 20) + "1", JSONLimits()) == .size)
    }

    @Test func `holds for the depth`() {
        #expect(code("[{\"a\":[]}]", JSONLimits(depthMax: 3)) == nil)
        #expect(code("[{\"a\":[[]]}]", JSONLimits(depthMax: 3)) == .depth)
        #expect(code("1", JSONLimits(depthMax: 0)) == nil)
        #expect(code("[]", JSONLimits(depthMax: 0)) == .depth)
        #expect(code("[]", JSONLimits(depthMax: -1)) == .depth)
    }

    @Test func `holds for the depth even when the setting is unreasonable`() {
        let deepest = String(repeating: "[", count: 512) + String(repeating: "]", count: 512)
        #expect(code(deepest, JSONLimits(depthMax: .max)) == nil)
        #expect(code("[" + deepest + "]", JSONLimits(depthMax: .max)) == .depth)
        #expect(code(String(repeating: "{\"a\":", count: 150_000), JSONLimits(depthMax: .max)) == .depth)
    }

    @Test func `counts open levels, not brackets`() {
        #expect(
            code(
                "[" + Array(repeating: "[[]]", count: 100).joined(separator: ",") + "]",
                JSONLimits(depthMax: 3)) == nil)
    }

    @Test func `holds for members and elements together`() {
        #expect(code("{\"a\":[1,2],\"b\":3}", JSONLimits(membersMax: 4)) == nil)
        #expect(code("{\"a\":[1,2],\"b\":3}", JSONLimits(membersMax: 3)) == .members)
        #expect(code("[]", JSONLimits(membersMax: 0)) == nil)
        #expect(code("[1]", JSONLimits(membersMax: 0)) == .members)
    }

    @Test func `holds for the text of a number`() {
        #expect(code("[-12.5e+10]", JSONLimits(numberBytesMax: 9)) == nil)
        #expect(code("[-12.5e+100]", JSONLimits(numberBytesMax: 9)) == .number)
    }

    @Test func `is named in the error`() throws {
        let error = try #require(throws: JSONParseError.self) {
            try JSONParser.parse(text: "[[[]]]", limits: JSONLimits(depthMax: 2))
        }
        #expect(error.detail.contains("more than 2 deep"))
    }
}
