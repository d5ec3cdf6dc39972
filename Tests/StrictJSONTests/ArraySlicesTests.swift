import StrictJSON
import Testing

@Suite struct `An array that is cut into its elements` {
    private func split(_ text: String, max: Int = 10) throws -> [String] {
        try JSONArraySlices.split(Array(text.utf8), countMax: max).map { String(decoding: $0, as: UTF8.self) }
    }

    @Test func `returns each as written`() throws {
        #expect(try split(" [ ] \n") == [])
        #expect(try split("[1]") == ["1"])
        #expect(
            try split(#" [ {"a":[1,{"b":"]},\"["}]} , "x,y" ,[[],[]],nonsense]"#) == [
                #"{"a":[1,{"b":"]},\"["}]}"#, #""x,y""#, "[[],[]]", "nonsense",
            ])
    }

    @Test(arguments: [
        ("", 0), ("{}", 0), ("[1", 2), ("[1,", 3), (#"["a]"#, 1), (#"["a\"]"#, 1), (#"["a\"#, 1),
        ("[1] 2", 4), ("[,1]", 1),
        ("[1,,2]", 3), ("[1,]", 3), ("[{]", 3), ("[1,2,3]", 5),
    ])
    func `has the position of an error`(text: String, before: Int) {
        #expect(throws: JSONArraySlices.Failure.self) { try split(text, max: 2) }
        do { _ = try split(text, max: 2) } catch let failure as JSONArraySlices.Failure {
            #expect((failure.line, failure.column) == (1, before + 1))
            #expect(failure.detail.hasSuffix("."))
        } catch { Issue.record(error) }
    }

    @Test(arguments: 0..<18, [#"\""#, #"\\"#, "\n", "é", ",]"])
    func `is not cut inside a string, wherever special characters are in it`(
        before: Int, special: String
    ) throws {
        let text = "\"" + String(repeating: "x", count: before) + special + ",]\""
        #expect(try split("[\(text),1]") == [text, "1"])
    }

    @Test func `counts lines`() throws {
        do { _ = try split("[1,\n2,\n\n  ,3]") } catch let failure as JSONArraySlices.Failure {
            #expect((failure.line, failure.column) == (4, 3))
        }
        #expect(throws: JSONArraySlices.Failure.self) { try split("[1,\n2,\n\n  ,3]") }
    }

    @Test func `is cut where a parser sees its elements`() throws {
        let text = #"[null, true, -1.5e3, "é\\", {"k" : [ {} , "," ]}, [], [[1,2],[3]] ]"#
        let whole = try JSONParser.parse(Array(text.utf8)).array ?? []
        let pieces = try JSONArraySlices.split(Array(text.utf8), countMax: 100).map {
            try JSONParser.parse(Array($0))
        }
        #expect(pieces == whole)
    }
}
