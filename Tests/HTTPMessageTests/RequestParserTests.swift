import HTTPMessage
import Testing

@Suite struct `A request parser` {
    @Test func `reads a request with a body and the next one`() {
        let said = events(
            of: Array(
                ("POST /v1/jobs?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}"
                    + "GET / HTTP/1.1\r\nHost: b\r\n\r\n").utf8))
        #expect(
            said == [
                .head(
                    method: "POST", target: "/v1/jobs?x=1", minorVersion: 1,
                    fields: ["Host: a", "Content-Length: 2"]),
                .body(Array("{}".utf8)), .end,
                .head(method: "GET", target: "/", minorVersion: 1, fields: ["Host: b"]), .end,
            ])
    }

    @Test func `takes the chunking off a body and discards trailers`() {
        let said = events(
            of: Array(
                ("PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                    + "3\r\nabc\r\n1;x=y\r\nd\r\n0\r\nT: 1\r\n\r\n").utf8))
        #expect(said.dropFirst() == [.body(Array("abcd".utf8)), .end])
    }

    @Test func `yields the same for all splits of its input`() {
        var random = SeededRandom(seed: 42)
        for request in RequestCorpus.all {
            let whole = events(of: request.bytes)
            if request.bytes.count <= 10_000 {
                let byByte = events(of: request.bytes, cuts: Array(0..<request.bytes.count))
                #expect(byByte == whole, "\(request.name) byte by byte")
            }
            for _ in 0..<4 where !request.bytes.isEmpty {
                let cuts = (0..<5).map { _ in Int.random(in: 0..<request.bytes.count, using: &random) }
                    .sorted()
                #expect(events(of: request.bytes, cuts: cuts) == whole, "\(request.name) cut at \(cuts)")
            }
        }
    }

    @Test(arguments: RequestCorpus.headRefusals)
    func `refuses a doubtful head`(request: RawRequest) {
        guard case .failure(let status, _)? = events(of: request.bytes).last else {
            Issue.record("accepted \(request.name)")
            return
        }
        #expect([400, 501, 505].contains(status))
    }

    @Test(arguments: RequestCorpus.framingRefusals)
    func `refuses doubtful framing before a smuggled request is seen`(request: RawRequest) {
        let said = events(of: request.bytes)
        guard case .failure(let status, _)? = said.last else {
            Issue.record("accepted \(request.name)")
            return
        }
        #expect([400, 413, 501].contains(status))
        #expect(!said.contains { if case .head(_, "/smuggled", _, _) = $0 { true } else { false } })
    }

    @Test(arguments: [
        ("GET / HTTP/2.0\r\n", 505, "request.version"), ("GET / HTTP/0.9\r\n", 505, "request.version"),
        ("CONNECT a:1 HTTP/1.1\r\n", 501, "request.method"), ("GET /#a HTTP/1.1\r\n", 400, "request.target"),
        ("GET / HTTP/1.1\r\n\r\n", 400, "request.host"),
        ("GET / HTTP/1.1\r\nHost : a\r\n", 400, "request.field"),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: gzip\r\n", 501, "request.transfer_coding"),
        ("GET / HTTP/1.1\r\nTransfer-Encoding: chunked;x\r\n", 400, "request.framing"),
        ("GET / HTTP/1.1\r\nContent-Length: 1,1\r\n", 400, "request.framing"),
        ("GET / HTTP/1.1\r\nContent-Length: 99999999999999999999\r\n", 413, "request.body_too_large"),
        ("GET / HTTP/1.1\n", 400, "request.line_end"), ("\u{16}", 400, "request.line"),
    ])
    func `names the status and the kind of a refusal`(text: String, status: Int, code: String) {
        #expect(events(of: Array(text.utf8)).last == .failure(status: status, code: code))
    }

    @Test func `returns only the failure after a failure`() {
        var parser = HTTPRequestParser()
        let bytes = Array("BAD\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n".utf8)
        var position = 0
        for _ in 0..<3 {
            guard case .failure = parser.next(bytes.span, from: &position) else {
                Issue.record("went on after a failure")
                return
            }
        }
    }

    @Test func `enforces its limits and names the exceeded one`() {
        var limits = HTTPParserLimits()
        limits.headBytesMax = 200
        limits.targetBytesMax = 20
        limits.fieldsMax = 3
        limits.bodyBytesMax = 5
        func last(_ text: String) -> Said? { events(of: Array(text.utf8), limits: limits).last }
        let start = "POST / HTTP/1.1\r\nHost: a\r\n"
        #expect(last("GET /\(String(repeating: "a", count: 19)) HTTP/1.1\r\nHost: a\r\n\r\n") == .end)
        #expect(
            last("GET /\(String(repeating: "a", count: 20)) HTTP/1.1\r\n")
                == .failure(status: 414, code: "request.target_too_long"))
        #expect(
            last("GET /\(String(repeating: "a", count: 100))")
                == .failure(status: 414, code: "request.target_too_long"))
        #expect(
            last(start + "X: \(String(repeating: "a", count: 180))")
                == .failure(status: 431, code: "request.fields_too_large"))
        let longest = String(repeating: "a", count: 200 - start.utf8.count - "X: \r\n\r\n".utf8.count)
        #expect(last(start + "X: \(longest)\r\n\r\n") == .end)
        #expect(
            last(start + "X: \(longest)a\r\n\r\n")
                == .failure(status: 431, code: "request.fields_too_large"))
        #expect(last(start + "A: b\r\nC: d\r\n\r\n") == .end)
        #expect(
            last(start + "A: b\r\nC: d\r\nE: f\r\n")
                == .failure(status: 431, code: "request.fields_too_large"))
        #expect(last(start + "Content-Length: 5\r\n\r\nabcde") == .end)
        #expect(
            last(start + "Content-Length: 6\r\n\r\n") == .failure(status: 413, code: "request.body_too_large")
        )
        #expect(
            last(start + "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n3\r\n")
                == .failure(status: 413, code: "request.body_too_large"))
    }

    @Test(arguments: [
        ("HTTP/1.1", "", true), ("HTTP/1.1", "Connection: close\r\n", false), ("HTTP/1.0", "", false),
        ("HTTP/1.0", "Connection: keep-alive\r\n", true), ("HTTP/1.1", "Connection: a, Close\r\n", false),
        ("HTTP/1.0", "Connection: keep-alive, close\r\n", false),
        ("HTTP/1.1", "Connection: closed\r\n", true), ("HTTP/1.2", "", true),
        ("HTTP/1.9", "Connection: close\r\n", false),
    ])
    func `knows whether the connection is kept`(version: String, field: String, kept: Bool) throws {
        let head = try #require(readHead("GET / \(version)\r\nHost: a\r\n\(field)\r\n"))
        #expect(head.keepAlive == kept)
    }

    @Test func `sees an expectation only where a body will follow`() throws {
        let start = "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n"
        #expect(try #require(readHead(start + "Content-Length: 2\r\n\r\n")).expectsContinue)
        #expect(try #require(readHead(start + "Transfer-Encoding: chunked\r\n\r\n")).expectsContinue)
        #expect(try #require(readHead(start + "\r\n")).expectsContinue == false)
        #expect(
            try #require(readHead("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n"))
                .expectsContinue == false)
    }

    @Test func `takes the host from an absolute target rather than from the field`() throws {
        let head = try #require(readHead("GET http://b:81/x HTTP/1.1\r\nHost: a\r\n\r\n"))
        #expect(head.authority == "b:81")
        #expect(head.target.form == .absolute)
        #expect(head.target.path == "/x")
    }

    @Test func `reports whether it is between requests or inside a head`() {
        var parser = HTTPRequestParser()
        #expect(parser.isBetweenRequests)
        var position = 0
        _ = parser.next(Array("GE".utf8).span, from: &position)
        #expect(parser.isInsideHead && !parser.isBetweenRequests)
    }

    private func readHead(_ text: String) -> HTTPRequestHead? {
        var parser = HTTPRequestParser()
        var position = 0
        guard case .head(let head) = parser.next(Array(text.utf8).span, from: &position) else { return nil }
        return head
    }
}
