import HTTPMessage
import Testing

@Suite struct `A list of fields` {
    @Test func `finds names without case and keeps order`() {
        var fields: HTTPFields = ["Content-Type": "a/b", "X": "1"]
        fields.add("x", "2")
        #expect(fields["content-TYPE"] == "a/b")
        #expect(fields.all("X") == ["1", "2"])
        #expect(fields.combined("x") == "1, 2")
        #expect(fields.map(\.name) == ["Content-Type", "X", "x"])
        #expect(fields.first("X").map(Array.init) == Array("1".utf8))
        #expect(fields["Y"] == nil && fields.combined("Y") == nil && !fields.contains("Y"))
    }

    @Test(arguments: [
        ("A\r\nB", "c"), ("", "c"), ("A b", "c"), ("A:", "c"), ("A", "b\r\nC: d"), ("A", "b\nc"),
        ("A", "b\0c"),
        ("A", "b\u{1}"), ("A", "\u{7F}"), ("\u{E4}", "c"),
    ])
    func `never accepts values that would break out of their line`(name: String, value: String) {
        var fields = HTTPFields()
        let added = fields.add(name, value)
        let set = fields.set(name, value)
        #expect(!added && !set)
        #expect(fields.isEmpty)
    }

    @Test(arguments: [(" a ", "a"), ("\ta b\t", "a b"), ("   ", ""), ("", "")])
    func `leaves blanks around a value out`(given: String, kept: String) {
        var fields: HTTPFields = ["Before": "x"]
        fields.add("A", given)
        fields.add("After", "y")
        #expect(fields["A"] == kept)
        #expect(fields["Before"] == "x" && fields["After"] == "y")
    }

    @Test func `replaces and removes all of a name`() {
        var fields: HTTPFields = ["A": "1", "B": "2", "a": "3"]
        fields.set("A", "4")
        #expect(fields.map { "\($0.name)=\($0.value)" } == ["B=2", "A=4"])
        fields.remove("b")
        #expect(fields == ["a": "4"])
        #expect(fields != ["a": "5"])
        #expect(fields.count(of: "A") == 1)
    }
}
