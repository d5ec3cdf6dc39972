import HTTPMessage
import Testing

@Suite struct `A response writer` {
    private static let date = "Sun, 06 Nov 1994 08:49:37 GMT"

    private struct NoSource: HTTPBodySource {
        func next() async throws -> [UInt8]? { nil }
        func cancel() {}
    }

    private func written(
        _ response: HTTPResponse, isHead: Bool = false, minorVersion: Int = 1, keepAlive: Bool = true
    ) -> (text: String, framing: HTTPResponseFraming) {
        var bytes: [UInt8] = []
        let framing = HTTPResponseWriter.appendHead(
            of: response, isHead: isHead, minorVersion: minorVersion, keepAlive: keepAlive,
            dateLine: HTTPResponseWriter.dateLine(HTTPDate(secondsSince1970: 784_111_777)), to: &bytes)
        return (String(decoding: bytes, as: UTF8.self), framing)
    }

    @Test func `writes status, fields, date and length`() {
        let response = HTTPResponse(status: .created, fields: ["Location": "/a"], body: .bytes([1, 2, 3]))
        let (text, framing) = written(response)
        #expect(
            text == "HTTP/1.1 201 Created\r\nLocation: /a\r\nDate: \(Self.date)\r\nContent-Length: 3\r\n\r\n")
        #expect(framing == .length(3))
    }

    @Test(arguments: [
        (1, "1"), (9, "9"), (10, "10"), (99, "99"), (100, "100"), (.max, "9223372036854775807"),
    ])
    func `writes lengths in decimal`(length: Int, text: String) {
        let response = HTTPResponse(status: .ok, body: .stream(length: length, NoSource()))
        #expect(written(response).text.contains("\r\nContent-Length: \(text)\r\n"))
    }

    @Test func `names the request, unless its name could break the head`() {
        var response = HTTPResponse(status: .ok, fields: ["A": "b"])
        response.requestID = "req_1"
        #expect(written(response).text.contains("\r\nA: b\r\nX-Request-Id: req_1\r\nDate: "))
        for name in ["a\r\nSet-Cookie: b", "a\0", "a\u{7F}"] {
            response.requestID = name
            #expect(!written(response).text.contains("X-Request-Id"))
        }
    }

    @Test func `has caches ask, or store nothing, where the fields leave it to them`() {
        func cacheControl(_ fields: HTTPFields) -> [Substring] {
            var response = HTTPResponse(status: .ok, fields: fields)
            response.isAlwaysAsked = true
            return written(response).text.split(separator: "\r\n").filter { $0.hasPrefix("Cache-Control") }
        }
        #expect(cacheControl(["ETag": "\"1\""]) == ["Cache-Control: no-cache"])
        #expect(cacheControl([:]) == ["Cache-Control: no-store"])
        #expect(cacheControl(["Cache-Control": "max-age=1"]) == ["Cache-Control: max-age=1"])
        #expect(!written(HTTPResponse(status: .ok)).text.contains("Cache-Control"))
    }

    @Test func `announces an empty body, except where none can be`() {
        #expect(written(HTTPResponse(status: .ok)).text.contains("\r\nContent-Length: 0\r\n"))
        #expect(!written(HTTPResponse(status: .noContent)).text.contains("Content-Length"))
        let notModified = written(HTTPResponse(status: .notModified, body: .bytes([1])))
        #expect(!notModified.text.contains("Content-Length") && notModified.framing == .none)
    }

    @Test func `announces the length of an answer to HEAD and sends no body`() {
        let (text, framing) = written(HTTPResponse(status: .ok, body: .bytes([1, 2])), isHead: true)
        #expect(text.contains("Content-Length: 2\r\n") && framing == .none)
    }

    @Test func `sends an unknown length in chunks, or to HTTP 1.0 until the connection closes`() {
        let response = HTTPResponse(status: .ok, body: .stream(length: nil, NoSource()))
        let modern = written(response)
        #expect(modern.text.contains("Transfer-Encoding: chunked\r\n") && modern.framing == .chunked)
        let old = written(response, minorVersion: 0)
        #expect(old.text.contains("Connection: close\r\n") && old.framing == .untilClose)
        #expect(!old.text.contains("Transfer-Encoding"))
    }

    @Test func `states whether the connection persists`() {
        #expect(!written(HTTPResponse(status: .ok)).text.contains("Connection"))
        #expect(written(HTTPResponse(status: .ok), keepAlive: false).text.contains("Connection: close\r\n"))
        #expect(
            written(HTTPResponse(status: .ok), minorVersion: 0).text.contains("Connection: keep-alive\r\n"))
    }

    @Test func `does not let a response set its own framing`() {
        let response = HTTPResponse(
            status: .ok,
            fields: [
                "Content-Length": "9", "Transfer-Encoding": "x", "connection": "y", "DATE": "z", "Other": "1",
            ])
        #expect(
            written(response).text
                == "HTTP/1.1 200 OK\r\nOther: 1\r\nDate: \(Self.date)\r\nContent-Length: 0\r\n\r\n")
    }

    @Test func `writes chunks and their end`() {
        var bytes: [UInt8] = []
        HTTPResponseWriter.appendChunk(Array(repeating: 0x61, count: 17), to: &bytes)
        HTTPResponseWriter.appendChunk([], to: &bytes)
        HTTPResponseWriter.appendLastChunk(to: &bytes)
        #expect(String(decoding: bytes, as: UTF8.self) == "11\r\naaaaaaaaaaaaaaaaa\r\n0\r\n\r\n")
    }

    @Test func `names every status it knows`() {
        #expect(HTTPStatus.tooManyRequests.description == "429 Too Many Requests")
        #expect(HTTPStatus(599).reason.isEmpty)
        #expect(HTTPStatus(code: 99) == nil && HTTPStatus(code: 600) == nil)
        #expect(written(HTTPResponse(status: HTTPStatus(599))).text.hasPrefix("HTTP/1.1 599 \r\n"))
    }
}

@Suite struct `A request method` {
    @Test func `is safe or idempotent according to RFC 9110`() {
        #expect([HTTPMethod.get, .head, .options, .trace].allSatisfy { $0.isSafe && $0.isIdempotent })
        #expect([HTTPMethod.put, .delete].allSatisfy { !$0.isSafe && $0.isIdempotent })
        #expect([HTTPMethod.post, .patch, .connect].allSatisfy { !$0.isIdempotent })
    }

    @Test func `is a token, with case`() {
        #expect(HTTPMethod("G T") == nil && HTTPMethod("") == nil)
        #expect(HTTPMethod("get") != .get)
        #expect(HTTPMethod("GET") == .get)
    }
}
