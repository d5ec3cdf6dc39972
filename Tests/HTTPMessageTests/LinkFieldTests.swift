import HTTPMessage
import Testing

@Suite struct `The link to the next page` {
    @Test(
        arguments: [
            ([#"</p?n=2>; rel="next""#], "/p?n=2"), (["</p>;rel=next"], "/p"), ([#"</p>; REL="NEXT""#], "/p"),
            ([#"<a,b;c>; rel="next""#], "a,b;c"), ([#"</1>; rel="prev", </3>; rel="last next""#], "/3"),
            ([#"</1>; rel=prev"#, #"</3>; title="a, <b>; rel=next"; rel=next"#], "/3"),
            ([#"</1>; rel=next, </2>; rel=next"#], "/1"), ([#"</1>; rel=prev; rel=next"#], nil),
            ([#"</1>; rel="next"; anchor="/other""#, "</2>; rel=next"], "/2"),
            ([#"</1>; rel="nextish""#], nil),
            ([#" , </1> ; type=text/html ; rel = next ;; hreflang ; , "#], "/1"), (["</1>"], nil), ([], nil),
            ([""], nil), (["<>; rel=next"], ""), ([#"</a>; title*=UTF-8''%e2%82%ac; rel=next"#], "/a"),
            ([#"</style.css>; rel=preload; as=style; nopush, </2>; rel="self next""#], "/2"),
        ] as [([String], String?)])
    func `is found among all links`(values: [String], target: String?) throws {
        #expect(try LinkField.target(of: "next", in: values) == target)
    }

    @Test(arguments: [
        "/p; rel=next", "</p; rel=next", #"</p>; rel="next"#, "</p> rel=next", "</p>; =next",
        "</p>;rel=next x, <",
        #"</1>; rel=next, junk"#,
    ])
    func `is not guessed in text that is no list of links`(value: String) {
        #expect(throws: LinkField.Malformed.self) { try LinkField.target(of: "next", in: [value]) }
    }

    @Test func `is found in time that grows with the text alone`() throws {
        let long = String(repeating: #"</a>; rel="prev x y z", "#, count: 2_000) + "</b>; rel=next"
        #expect(try LinkField.target(of: "next", in: [long]) == "/b")
    }
}
