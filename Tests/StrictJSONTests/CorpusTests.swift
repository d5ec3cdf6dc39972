import StrictJSON
import Testing

@Suite struct `The corpus` {
    @Test func `is there`() {
        #expect(CorpusDocument.all.filter { $0.name.hasPrefix("y_") }.count >= 80)
        #expect(CorpusDocument.all.filter { $0.name.hasPrefix("n_") }.count >= 200)
        #expect(CorpusDocument.all.filter { $0.name.hasPrefix("i_") }.count >= 20)
    }

    @Test(arguments: CorpusDocument.all.filter(\.mustBeAccepted))
    func `is accepted according to RFC 8259`(document: CorpusDocument) throws {
        let value = try JSONParser.parse(document.bytes)
        #expect(try JSONParser.parse(value.encoded()) == value)
        #expect(try JSONParser.parse(value.encoded(indent: 2)) == value)
    }

    @Test(arguments: CorpusDocument.all.filter { !$0.mustBeAccepted })
    func `is refused with the right code elsewhere`(document: CorpusDocument) throws {
        let error = try #require(throws: JSONParseError.self) { try JSONParser.parse(document.bytes) }
        let expected = try #require(document.expectedCode)
        #expect(error.code.rawValue == "json." + expected)
        #expect((0...document.bytes.count).contains(error.offset))
        #expect(error.detail.hasSuffix(".") || error.detail.hasSuffix("?"))
        #expect(error.detail.utf8.count < 400)
    }

    @Test(arguments: CorpusDocument.all.filter { $0.bytes.count < 1000 })
    func `gives an error inside the document wherever it is cut`(document: CorpusDocument) {
        for count in 0..<document.bytes.count {
            do {
                let value = try JSONParser.parse(Array(document.bytes[..<count]))
                #expect(value == (try JSONParser.parse(value.encoded())))
            } catch {
                #expect(error.offset <= count)
                #expect(error.line >= 1 && error.column >= 1)
            }
        }
    }
}
