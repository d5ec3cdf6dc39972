import StrictJSON
import Testing

@Suite struct `The canonical form` {
    private func canonical(_ text: String) throws -> String {
        String(decoding: CanonicalJSON.encode(try JSONParser.parse(text: text)), as: UTF8.self)
    }

    @Test func `does not depend on member order, white space or spelling`() throws {
        let one = try canonical(#" { "b" : [ 1.0 , 1e2 ] , "a" : "\u00e9\/" } "#)
        let two = try canonical("{\"a\":\"\u{e9}/\",\"b\":[1,100]}")
        #expect(one == two)
        #expect(one == "{\"a\":\"\u{e9}/\",\"b\":[1,100]}")
    }

    @Test func `keeps the order of elements`() throws {
        #expect(try canonical("[3,1,2]") != canonical("[1,2,3]"))
    }

    @Test func `sorts names by their UTF-16 code units as RFC 8785 does`() throws {
        let names = ["\u{20ac}", "\r", "\u{fb33}", "1", "\u{1F600}", "\u{80}", "\u{f6}"]
        let text =
            "{"
            + names.map { JSONValue.string($0) }.map { String(decoding: $0.encoded(), as: UTF8.self) + ":0" }
            .joined(separator: ",") + "}"
        let sorted = try #require(try JSONParser.parse(text: canonical(text)).object).members.map(\.name)
        #expect(sorted == ["\r", "1", "\u{80}", "\u{f6}", "\u{20ac}", "\u{1F600}", "\u{fb33}"])
    }

    @Test(arguments: [
        ("0", "0"), ("-0", "0"), ("-0.0", "0"), ("1.0", "1"), ("1e0", "1"), ("100e-2", "1"),
        ("1e20", "100000000000000000000"),
        ("1e21", "1e+21"), ("123e19", "1.23e+21"), ("0.000001", "0.000001"), ("1e-6", "0.000001"),
        ("1e-7", "1e-7"),
        ("0.00000012", "1.2e-7"), ("4.50", "4.5"), ("2e-3", "0.002"), ("1E30", "1e+30"),
        ("333333333.33333329", "333333333.33333329"),
        ("-1.5e+300", "-1.5e+300"), ("999999999999999999999", "999999999999999999999"), ("12.5e1", "125"),
        ("12.5e0", "12.5"),
        ("1e5", "100000"), ("0e9", "0"),
    ])
    func `writes numbers in the form of ECMAScript`(written: String, expected: String) throws {
        #expect(try canonical(written) == expected)
    }

    @Test func `distinguishes numbers that binary floating point does not`() throws {
        #expect(try canonical("9007199254740992") != canonical("9007199254740993"))
    }

    @Test func `is its own canonical form`() throws {
        for document in CorpusDocument.all where document.mustBeAccepted {
            let once = CanonicalJSON.encode(try JSONParser.parse(document.bytes))
            let again = try JSONParser.parse(once, limits: JSONLimits(numberBytesMax: 100))
            #expect(CanonicalJSON.encode(again) == once, "\(document.name)")
        }
    }
}
