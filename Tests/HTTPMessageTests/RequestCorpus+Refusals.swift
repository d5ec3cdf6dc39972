extension RequestCorpus {
    /// Heads that must be refused.
    static let headRefusals: [RawRequest] = {
        let host = "\r\nHost: a\r\n\r\n"
        var requests = [
            "GET  / HTTP/1.1", "GET /  HTTP/1.1", " GET / HTTP/1.1", "GET / HTTP/1.1 ", "GET\t/ HTTP/1.1",
            "GET /\tHTTP/1.1", "GET /", "GET", "GET /a b HTTP/1.1", "GET / HTTP/2.0",
            "GET / HTTP/0.9",
            "GET / HTTP/1.", "GET / HTTP/11", "GET / HTTP/1.10", "GET / HTTP/01.1", "GET / http/1.1",
            "GET / HTTP/-1.1",
            "GET / HTTP 1.1", "GET / HTTP/1.1x", "GET / ICAP/1.0", "GET / HTTP/4294967297.1",
            "G@T / HTTP/1.1",
            "(GET) / HTTP/1.1", "G\u{0}T / HTTP/1.1", "G\u{E9}T / HTTP/1.1", "GET /\u{E9} HTTP/1.1",
            "GET /#f HTTP/1.1", "GET /\u{0} HTTP/1.1", "GET /\u{7F} HTTP/1.1", "GET /\u{1} HTTP/1.1",
            "GET /a\"b HTTP/1.1", "GET /<a> HTTP/1.1", "GET /a\\b HTTP/1.1", "GET a HTTP/1.1",
            "GET ?a HTTP/1.1",
            "GET ftp://a/ HTTP/1.1", "GET http:// HTTP/1.1", "GET http:///a HTTP/1.1", "GET http:/a HTTP/1.1",
            "GET http://u@a/ HTTP/1.1", "GET http://a:0/ HTTP/1.1", "GET http://a:99999/ HTTP/1.1",
            "GET http://a:x/ HTTP/1.1", "GET http://[::1/ HTTP/1.1", "GET * HTTP/1.1", "GET *a HTTP/1.1",
            "CONNECT a:80 HTTP/1.1", "GET a:80 HTTP/1.1", "GET /%zz HTTP/1.1", "GET /%4 HTTP/1.1",
            "GET /% HTTP/1.1",
            "GET /%00 HTTP/1.1", "GET /?%00 HTTP/1.1", "GET /?%g1 HTTP/1.1", "GET /../a HTTP/1.1",
            "GET /a/.. HTTP/1.1",
            "GET /./a HTTP/1.1", "GET /%2e%2E/a HTTP/1.1", "GET /a/.%2e HTTP/1.1", "GET /%ff HTTP/1.1",
            "GET /?%c3%28 HTTP/1.1", "PRI * HTTP/2.0",
        ].map { RawRequest("line \($0)", $0 + host) }
        requests += [
            "Host a", "Host : a", "Host\t: a", " Host: a", "\tHost: a", ": a", ":", "a", "A B: c", "A(): c",
            "A\u{0}: c",
            "\u{E9}: c", "A: b\u{0}c", "A: b\u{1}", "A: b\u{7F}", "A: b\u{B}c", "A: b\u{C}c", "A: b\u{8}",
            "A: b\r\n folded", "A: b\r\n\tfolded", "A: \r\n b", "A: b\rc", "A: b\r", "A\r: b", "\rA: b",
            "A@: b", "[A]: b",
            "A,: b", "\"A\": b", "A/: b", "A;: b", "A=: b", "A{: b", "A<: b", "A?: b", "A\\: b",
        ].map { RawRequest("field \($0)", "GET / HTTP/1.1\r\nHost: a\r\n\($0)\r\n\r\n") }
        requests += [
            "", "Host: a\r\nHost: a\r\n", "Host: a\r\nhost: b\r\n", "Host:\r\n", "Host: \r\n",
            "Host: a b\r\n",
            "Host: a,b\r\n", "Host: a/b\r\n", "Host: a@b\r\n", "Host: a:\r\n", "Host: a:0\r\n",
            "Host: a:65536\r\n",
            "Host: a:x\r\n", "Host: a:1:2\r\n", "Host: [::1\r\n", "Host: []\r\n", "Host: [::1]x\r\n",
            "Host: [g]\r\n",
            "Host: \u{E9}\r\n", "Host: http://a\r\n", "Host: a#\r\n", "Host: a?\r\n", "Host: %\r\n",
            "Host: %00\r\n",
            "Host: :80\r\n", "Host: [1.2.3.4]\r\n", "Host: [::1%25eth0]\r\n", "Host: a\\b\r\n",
            "Host: [:::]\r\n",
        ].map { RawRequest("host \($0)", "GET / HTTP/1.1\r\n\($0)\r\n") }
        return requests
    }()

    /// Bodies with ambiguous ends, and malformed chunking.
    static let framingRefusals: [RawRequest] = {
        let smuggled = "GET /smuggled HTTP/1.1\r\nHost: a\r\n\r\n"
        var requests = [
            "Content-Length: 3\r\nContent-Length: 4", "Content-Length: 3\r\nContent-Length: 3",
            "Content-Length: 3, 3",
            "Content-Length: 3,4", "Content-Length: +3", "Content-Length: -3", "Content-Length: -0",
            "Content-Length: 0x3", "Content-Length: 3.0", "Content-Length: 3 3", "Content-Length: 1e1",
            "Content-Length: \u{663}", "Content-Length: a", "Content-Length:", "Content-Length: ",
            "Content-Length: 3;",
            "Content-Length: \"3\"", "Content-Length : 3", "Content-Length: 3\u{0}", "Content-Length: 1_0",
            "Content-Length: 99999999999999999999", "Content-Length: 18446744073709551616",
            "Content-Length: 9223372036854775808", "Content-Length: 3\r\n 4",
            "Content-Length: 9223372036854775807",
            "Content-Length: 3\r\nTransfer-Encoding: chunked",
            "Transfer-Encoding: chunked\r\nContent-Length: 3",
            "Transfer-Encoding: gzip", "Transfer-Encoding: identity", "Transfer-Encoding:",
            "Transfer-Encoding: ",
            "Transfer-Encoding: gzip, chunked", "Transfer-Encoding: chunked, gzip",
            "Transfer-Encoding: chunked;a=b",
            "Transfer-Encoding: chunked,", "Transfer-Encoding: ,chunked",
            "Transfer-Encoding: chunked, chunked",
            "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", "Transfer-Encoding: xchunked",
            "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked", "Transfer-Encoding: \"chunked\"",
            "Transfer-Encoding: chunked\r\n ", "Transfer-Encoding:\r\n chunked",
            "Transfer-Encoding : chunked",
            "Transfer-Encoding: \u{B}chunked", "Transfer-Encoding: chun ked",
            "Transfer-Encoding: chunked\u{0}",
        ].map {
            RawRequest("framing \($0)", "POST / HTTP/1.1\r\nHost: a\r\n\($0)\r\n\r\n0\r\n\r\n\(smuggled)")
        }
        requests.append(
            RawRequest("chunked in 1.0", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"))
        requests += [
            "0x3\r\nabc\r\n0\r\n\r\n", "+3\r\nabc\r\n0\r\n\r\n", "-3\r\nabc\r\n0\r\n\r\n",
            " 3\r\nabc\r\n0\r\n\r\n",
            "3 \r\nabc\r\n0\r\n\r\n", "3\t\r\nabc\r\n0\r\n\r\n", "\r\n3\r\nabc\r\n0\r\n\r\n",
            "3\nabc\r\n0\r\n\r\n",
            "3\r\nabc\n0\r\n\r\n", "3\r\nabc0\r\n\r\n", "3\r\nabcd\r\n0\r\n\r\n", "3\r\nabc\r\n0\r\n\n",
            "3\r\nabc\r\n0\n\r\n", "g\r\nabc\r\n0\r\n\r\n", ";\r\nabc\r\n0\r\n\r\n", "3,\r\nabc\r\n0\r\n\r\n",
            "3\u{0}\r\nabc\r\n0\r\n\r\n", "3;\u{0}\r\nabc\r\n0\r\n\r\n", "3;a\u{1}\r\nabc\r\n0\r\n\r\n",
            "3;\r\nabc\r\n0\r\n\r\n", "3;a=\r\nabc\r\n0\r\n\r\n", "3;=a\r\nabc\r\n0\r\n\r\n",
            "3;a=\"b\r\nabc\r\n0\r\n\r\n",
            "3 ;a\r\nabc\r\n0\r\n\r\n", "3;a\nb\r\nabc\r\n0\r\n\r\n", "3\r\r\nabc\r\n0\r\n\r\n",
            "ffffffffffffffff\r\nabc\r\n0\r\n\r\n", "10000000000000003\r\nabc\r\n0\r\n\r\n",
            "7fffffffffffffff\r\nabc\r\n0\r\n\r\n", "fffffff\r\nabc\r\n0\r\n\r\n", "3_\r\nabc\r\n0\r\n\r\n",
            "0\r\nA\r\n\r\n", "0\r\nA : b\r\n\r\n", "0\r\n b\r\n\r\n", "0\r\n: b\r\n\r\n",
            "0\r\nA: b\u{0}\r\n\r\n",
            "0\r\nA: b\n\r\n", "0\r\nA: b\r\n folded\r\n\r\n", "0\r\nA: b\rc\r\n\r\n", "3\r\nab\r\n0\r\n\r\n",
            "3;\(String(repeating: "x", count: 2000))\r\nabc\r\n0\r\n\r\n",
        ].map { RawRequest("chunk \($0.prefix(40))", chunkedHead + $0 + smuggled) }
        return requests
    }()

    /// Line ends, empty lines and sizes.
    static let odd: [RawRequest] = {
        let plain = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
        return [
            RawRequest("one empty line before", "\r\n" + plain),
            RawRequest("two empty lines before", "\r\n\r\n" + plain),
            RawRequest("three empty lines before", "\r\n\r\n\r\n" + plain),
            RawRequest("a bare LF before", "\n" + plain),
            RawRequest("a bare CR before", "\r" + plain), RawRequest("a blank before", " " + plain),
            RawRequest("an empty line between", plain + "\r\n" + plain),
            RawRequest("a bare LF behind the line", "GET / HTTP/1.1\nHost: a\r\n\r\n"),
            RawRequest("a bare LF behind a field", "GET / HTTP/1.1\r\nHost: a\n\r\n"),
            RawRequest("a bare LF at the end", "GET / HTTP/1.1\r\nHost: a\r\n\n"),
            RawRequest("bare LFs throughout", "GET / HTTP/1.1\nHost: a\n\n"),
            RawRequest("CR CR LF", "GET / HTTP/1.1\r\r\nHost: a\r\n\r\n"),
            RawRequest("a bare CR as line end", "GET / HTTP/1.1\rHost: a\r\n\r\n"),
            RawRequest("HTTP/0.9", "GET /\r\n"), RawRequest("nothing", ""),
            RawRequest("half a line", "GET / HT"),
            RawRequest("half a head", "GET / HTTP/1.1\r\nHost: a\r\nAcc"),
            RawRequest(
                "a TLS greeting",
                bytes: [0x16, 0x03, 0x01, 0x02, 0x00, 0x01, 0x00, 0x01, 0xFC, 0x03, 0x0D, 0x0A]),
            RawRequest(
                "Latin-1 in a value",
                bytes: Array("GET / HTTP/1.1\r\nHost: a\r\nX: ".utf8) + [0xFC, 0x0D, 0x0A, 0x0D, 0x0A]),
            RawRequest(
                "a long target", "GET /\(String(repeating: "a", count: 9000)) HTTP/1.1\r\nHost: a\r\n\r\n"),
            RawRequest(
                "a long field",
                "GET / HTTP/1.1\r\nHost: a\r\nX: \(String(repeating: "a", count: 40_000))\r\n\r\n"),
            RawRequest(
                "101 fields",
                "GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 100))\r\n"),
            RawRequest(
                "100 fields", "GET / HTTP/1.1\r\nHost: a\r\n\(String(repeating: "X: y\r\n", count: 99))\r\n"),
            RawRequest("a long method", "\(String(repeating: "M", count: 33)) / HTTP/1.1\r\nHost: a\r\n\r\n"),
            RawRequest("a body too large", "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1048577\r\n\r\n"),
        ]
    }()
}
