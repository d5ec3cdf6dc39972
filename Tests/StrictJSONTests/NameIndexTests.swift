import StrictJSON
import Testing

@Suite struct `An index of names` {
    @Test(arguments: [0, 1, 16, 17, 40])
    func `finds the first of each name, and nothing else`(count: Int) {
        let names = (0..<count).map { "n\($0)" }
        var index = NameIndex()
        for (place, name) in names.enumerated() {
            #expect(index.position(of: name, in: names + names, by: { $0 }) == place)
        }
        let known = NameIndex(names, by: { $0 })
        #expect(known.place(of: "n\(count)", in: names, by: { $0 }) == nil)
        #expect(names.allSatisfy { known.place(of: $0, in: names, by: { $0 }) != nil })
    }

    @Test func `finds what was added, also before it is taken up`() {
        var names = (0..<30).map { "n\($0)" }
        var index = NameIndex()
        #expect(index.position(of: "x", in: names, by: { $0 }) == nil)
        names.append("x")
        #expect(index.place(of: "x", in: names, by: { $0 }) == 30)
        #expect(index.position(of: "x", in: names, by: { $0 }) == 30)
    }

    @Test(arguments: [2, 40]) func `takes composed and decomposed names for two`(count: Int) {
        let others = (0..<count - 2).map { "n\($0)" }
        let names = others + ["e\u{301}", "\u{e9}"]
        var index = NameIndex()
        #expect(index.position(of: "\u{e9}", in: names, by: { $0 }) == count - 1)
        #expect(index.position(of: "e\u{301}", in: names, by: { $0 }) == count - 2)
    }

    @Test func `looks at each name once, however many are looked for`() {
        let names = (0..<1_000).map { "n\($0)" }
        var index = NameIndex()
        var looks = 0
        for name in names {
            _ = index.position(of: name, in: names) {
                looks += 1
                return $0
            }
        }
        #expect(looks == names.count)
    }
}

@Suite struct `An object of many members` {
    @Test func `keeps the first place and the last value of a repeated name`() {
        let names = (0..<40).map { "n\($0)" } + ["e\u{301}", "\u{e9}"]
        let pairs = names.map { ($0, JSONValue.bool(true)) } + [("n3", 7), ("\u{e9}", 8)]
        let object = JSONObject(pairs)
        #expect(object.members.map(\.name).elementsEqual(names, by: { $0.utf8.elementsEqual($1.utf8) }))
        #expect(object["n3"] == 7 && object["\u{e9}"] == 8 && object["e\u{301}"] == true)
    }
}
