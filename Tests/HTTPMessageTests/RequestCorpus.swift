/// Raw requests for the parser: what clients send, what they must not send, and what attackers try.
enum RequestCorpus {
    /// Everything, well over 300 requests.
    static let all = valid + RequestCorpus.headRefusals + RequestCorpus.framingRefusals + odd + pipelined

    /// Ordinary requests in many shapes.
    static let valid: [RawRequest] = {
        var requests: [RawRequest] = []
        for method in [
            "GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PURGE", "x-!#$%&'*+.^_`|~",
        ] {
            for target in [
                "/", "/v1/jobs/job_01?wait=5&x=%20", "http://example.com/a?b", "//a/b",
                "/a;b=c/d,e:@!$&'()*+",
            ] {
                requests.append(
                    RawRequest(
                        "\(method) \(target)", "\(method) \(target) HTTP/1.1\r\nHost: example.com\r\n\r\n"))
            }
        }
        for (index, fields) in fieldBlocks.enumerated() {
            requests.append(RawRequest("fields \(index)", "GET / HTTP/1.1\r\nHost: a\r\n\(fields)\r\n"))
            requests.append(RawRequest("fields \(index) in 1.0", "GET / HTTP/1.0\r\n\(fields)\r\n"))
        }
        for host in ["a", "a:80", "127.0.0.1:8080", "[::1]:8080", "xn--bcher-kva.example", "a_b.c", "a%41"] {
            requests.append(RawRequest("host \(host)", "GET / HTTP/1.1\r\nHost: \(host)\r\n\r\n"))
        }
        for length in [0, 1, 2, 10, 1000, 70_000] {
            let body = String(repeating: "x", count: length)
            requests.append(
                RawRequest(
                    "body of \(length)",
                    "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n\(body)"))
            requests.append(
                RawRequest(
                    "body of \(length) in 1.0",
                    "POST / HTTP/1.0\r\nContent-Length: 000\(length)\r\n\r\n\(body)"))
        }
        for (index, chunks) in chunkedBodies.enumerated() {
            requests.append(RawRequest("chunked \(index)", chunkedHead + chunks))
        }
        requests.append(RawRequest("asterisk", "OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n"))
        return requests
    }()

    static let chunkedHead = "POST /c HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"

    private static let fieldBlocks = [
        "", "A: b\r\n", "A:b\r\n", "A: \t b \t \r\n", "A:\r\n", "A: \r\n", "A: b\r\nA: c\r\n",
        "a: B c  d\r\n",
        "User-Agent: curl/8.5.0\r\nAccept: */*\r\n", "Cookie: a=b; c=\"d\"\r\n", "X: \u{FC}\u{2713}\r\n",
        "Connection: close\r\n", "Connection: keep-alive\r\n", "Connection: Close\r\n",
        "Connection: foo, close\r\n",
        "Connection: foo\r\nConnection: close\r\n", "Connection: keep-alive, close\r\n",
        "Expect: 100-continue\r\n",
        "Content-Length: 0\r\n", "!#$%&'*+-.^_`|~09azAZ: token\r\n",
        "X: \(String(repeating: "y", count: 5000))\r\n",
        "Expect: 100-continue\r\nContent-Length: 3\r\n", "Expect: 100-Continue\r\nContent-Length: 3\r\n",
        "Trailer: X\r\n", "Upgrade: h2c\r\n", "TE: trailers\r\n",
        "Accept:*/*\r\nContent-Type: a/b;c=\"d\"\r\n",
    ]

    private static let chunkedBodies = [
        "0\r\n\r\n", "1\r\na\r\n0\r\n\r\n", "3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n",
        "A\r\n0123456789\r\n0\r\n\r\n",
        "a\r\n0123456789\r\n0\r\n\r\n", "0003\r\nabc\r\n000\r\n\r\n", "3;x\r\nabc\r\n0;y=z\r\n\r\n",
        "3;x=\"a;b\\\"c\"\r\nabc\r\n0\r\n\r\n", "3\r\nabc\r\n0\r\nTrailer: 1\r\n\r\n",
        "2\r\n\r\n\r\n0\r\n\r\n",
        "3\r\nabc\r\n0\r\nA: 1\r\nB: 2\r\n\r\n", "5\r\n0\r\n\r\n\r\n0\r\n\r\n", "3\r\nab", "3\r\nabc\r\n",
        "3", "",
        "10\r\n0123456789abcdef\r\n0\r\n\r\n", "3;a;b;c=d\r\nabc\r\n0\r\n\r\n",
        "3\r\nabc\r\n0\r\nHost: b\r\n\r\n",
    ]

    /// Consecutive requests, taken from the valid ones.
    static let pipelined: [RawRequest] = {
        var random = SeededRandom(seed: 7)
        return (0..<80).map { index in
            let count = Int.random(in: 2...6, using: &random)
            let chosen = (0..<count).map { _ in Int.random(in: 0..<valid.count, using: &random) }
            return RawRequest("pipeline \(index)", bytes: chosen.flatMap { valid[$0].bytes.prefix(4000) })
        }
    }()
}
