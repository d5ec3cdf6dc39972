import Commands
import HTTPMessage
import JobKit
import StrictJSON
import Testing

@testable import JobClient
@testable import JobServer

/// U+0301 forms a character with the one before it, U+0600 with the one behind it. Neither hides the comma, slash or
/// equals sign that it joins.
@Suite struct `Texts with combining marks` {
    @Test(arguments: [
        ("9.9.9.9 \u{600}, 203.0.113.7", "203.0.113.7"), ("9.9.9.9,\u{301}, 203.0.113.7", "203.0.113.7"),
        ("9.9.9.9\u{600},203.0.113.7", "203.0.113.7"), ("203.0.113.7:\u{301}", "203.0.113.7"),
    ])
    func `do not hide the client that a proxy appends`(field: String, client: String) throws {
        let proxies = TrustedProxies([CIDR("127.0.0.1")].compactMap(\.self))
        var fields = HTTPFields()
        fields.add("X-Forwarded-For", field)
        let found = proxies.client(of: fields, from: try #require(IPAddress("127.0.0.1")))
        #expect(found.description == client)
    }

    @Test(arguments: [
        "postgres://ada:\u{301}x@db/jobs", "postgres://ada:x\u{600}@db/jobs", "postgres://a\u{600}:x@db/jobs",
        "host=db password=\u{301}x", "host=db PASSWORD=\u{301}x",
    ])
    func `do not hide a password from the check of the command line`(address: String) {
        #expect(SharedStoreAddress.isOne(address) && SharedStoreAddress.hasPassword(address))
    }

    @Test func `do not turn the address of a store into a directory`() {
        #expect(SharedStoreAddress.isOne("host=\u{301}db"))
        #expect(!SharedStoreAddress.hasPassword("host=\u{301}db"))
    }

    @Test func `stay at the begin of a label in a query`() throws {
        let key = "\u{301}x"
        var reader = QueryReader([(name: "label.\(key)", value: "v")])
        let found = try #require(reader.all(prefix: "label.").first)
        #expect(found.name.utf8.elementsEqual(key.utf8))
    }

    @Test func `do not hide credentials in archives`() {
        let url = "https://a.example/?\u{301}a=1&\u{301}token\u{301}=\u{301}secret&b\u{600}&key=word"
        let shown = HARHiding.url(url)
        #expect(!shown.utf8.contains("secret".utf8) && !shown.utf8.contains("word".utf8))
        #expect(shown.utf8.contains("a=1&".utf8))
        #expect(HARHiding.query(of: "https://a.example/?a=\u{301}b&\u{301}c=d#\u{301}e").count == 2)
    }

    @Test func `are two names in the lines of a document`() {
        let text = """
            { "\u{E9}": 1,
              "e\u{301}": 2,
              "~\u{301}": 3,
              "\u{301}/": {
                "a": 4 } }
            """
        let lines = SpecLines(Array(text.utf8))
        let places = ["/\u{E9}", "/e\u{301}", "/~0\u{301}", "/\u{301}~1/a", "/\u{301}~1/\u{301}b"]
        #expect(places.map { lines.line(of: $0) } == [1, 2, 3, 5, 4])
    }

    @Test func `do not join the names and values of settings`() throws {
        let text = "data =\u{301}d\n#\u{301} a comment\nlog-level= debug\n"
        let file = try ConfigFile(text, path: "c.conf", flags: ServeFlags.all)
        #expect(file.settings.map(\.name) == ["data", "log-level"])
        #expect(file.settings[0].value.utf8.elementsEqual("\u{301}d".utf8))
        let given = try Arguments(
            [], flags: [Flag(name: "label", value: "L", help: "", isRepeatable: true)],
            environment: ["JOBSERVER_LABEL": "a=1,\u{301}b=2"], command: "list")
        #expect(given.all("label").count == 2)
    }

    // MARK: The client

    @Test func `may begin the value of a label`() throws {
        let action = try Action(
            ListAction.list, ["--label", "k=\u{301}v", "--url", "http://127.0.0.1:1"], environment: [:])
        #expect(try ListAction.query(action) == ["label.k=%CC%81v"])
    }

    @Test func `leave the variables of curl's -w alone`() {
        let report = CurlReport(
            outcome: CurlOutcome(JobFacts(["state": "succeeded", "result": ["status": 200]])),
            attempt: JobFacts([:]), url: "https://a.example/", method: "GET", file: nil)
        let (text, unknown) = report.text("%{http_code}\u{301} \\n\u{301}%%\u{301}%{no\u{301}pe}\r\n")
        #expect(text.utf8.elementsEqual("200\u{301} \n\u{301}%\u{301}\r\n".utf8))
        #expect(unknown == ["no\u{301}pe"])
    }

    @Test func `do not hide the fields of an event`() async throws {
        let (messages, continuation) = AsyncStream<StreamMessage>.makeStream()
        let reader = EventReader(continuation, after: nil)
        try reader.begin(status: 200, fields: [])
        let bytes = Array("id:\u{301}7\ndata: \u{301}x\n\n".utf8)
        try reader.take(bytes.span)
        continuation.finish()
        var found: [StreamMessage] = []
        for await message in messages { found.append(message) }
        #expect(found.first?.id?.utf8.elementsEqual("\u{301}7".utf8) == true)
        #expect(found.first?.data.utf8.elementsEqual("\u{301}x".utf8) == true)
    }
}
