import HTTPMessage
import Testing

@Suite struct `A head that comes again` {
    private static let heads = [
        "GET /v1/jobs/a HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /v1/jobs/b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /v1/jobs/b HTTP/1.1\r\nHost: a\r\nX: 1\r\n\r\n",
        "get /v1/jobs/b HTTP/1.1\r\nHost: a\r\n\r\n",
        "GET /v1/jobs/b HTTP/1.0\r\n\r\n",
        "GET /v1/jobs/b HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
        "GET /v1/jobs/b HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n",
        // The longest head that is kept, 1,024 bytes, and one byte more.
        "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 992))\r\n\r\n",
        "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 993))\r\n\r\n",
    ]
    private static let withBody = [
        "POST /v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nabc",
        "POST /v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\nGET",
        "POST /v1/jobs HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n0\r\n\r\n",
        "\r\nPOST /v1/jobs HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\n\r\n{ }",
        "POST / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "x", count: 2000))\r\nContent-Length: 1\r\n\r\n1",
        "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n",
        "POST / HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n{}",
    ]

    @Test func `yields the same as byte by byte, without the cache`() {
        var random = SeededRandom(seed: 7)
        for _ in 0..<400 {
            // A few, so that most follow one like themselves.
            let some = (Self.heads + Self.withBody).shuffled(using: &random).prefix(2)
            let chosen = (0..<8).compactMap { _ in some.randomElement(using: &random) }
            var bytes = Array(chosen.joined().utf8)
            if Bool.random(using: &random) {
                let at = Int.random(in: 0..<bytes.count, using: &random)
                bytes[at] = UInt8.random(in: 0...127, using: &random)
            }
            let anew = events(of: bytes, cuts: Array(0..<bytes.count))
            let cuts = (0..<4).map { _ in Int.random(in: 0..<bytes.count, using: &random) }.sorted()
            #expect(events(of: bytes) == anew, "\(chosen)")
            #expect(events(of: bytes, cuts: cuts) == anew, "\(chosen) cut at \(cuts)")
        }
    }
}
