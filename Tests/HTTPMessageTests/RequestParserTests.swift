import HTTPMessage
import Testing

@Suite struct `A request parser` {
    @Test func `reads a request with a body and the one behind it`() {
        let said = events(
            of: Array(
                "POST /v1/jobs?x=1 HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}GET / HTTP/1.1\r\nHost: b\r\n\r\n"
                    .utf8))
        #expect(
            said == [
                .head(
                    method: "POST", target: "/v1/jobs?x=1", minorVersion: 1,
                    fields: ["Host: a", "Content-Length: 2"]),
                .body(Array("{}".utf8)), .end,
                .head(method: "GET", target: "/", minorVersion: 1, fields: ["Host: b"]), .end,
            ])
    }

    @Test func `takes the chunking off a body`() {
        let said = events(
            of: Array(
                "PUT /a HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n1;x=y\r\nd\r\n0\r\nT: 1\r\n\r\n"
                    .utf8))
        #expect(said.dropFirst() == [.body(Array("abcd".utf8)), .end])
    }
}
