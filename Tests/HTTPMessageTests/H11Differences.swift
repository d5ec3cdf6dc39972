/// The requests that h11 reads differently, by name, with the reason.
enum H11Differences {
    static let reasons: [String: [String]] = [
        "h11 never keeps an HTTP/1.0 connection": [
            "fields 12 in 1.0", "pipeline 15", "pipeline 41",
        ],
        "h11 reports an expectation although no body will follow": [
            "fields 17"
        ],
        "h11 reads any version of one digit, a dot and one digit": [
            "line GET / HTTP/2.0", "line GET / HTTP/0.9", "line PRI * HTTP/2.0",
        ],
        "h11 leaves the request target to the application": [
            "line GET /#f HTTP/1.1", "line GET /a\"b HTTP/1.1", "line GET /<a> HTTP/1.1",
            "line GET /a\\b HTTP/1.1", "line GET a HTTP/1.1", "line GET ?a HTTP/1.1",
            "line GET ftp://a/ HTTP/1.1", "line GET http:// HTTP/1.1", "line GET http:///a HTTP/1.1",
            "line GET http:/a HTTP/1.1", "line GET http://u@a/ HTTP/1.1", "line GET http://a:0/ HTTP/1.1",
            "line GET http://a:99999/ HTTP/1.1", "line GET http://a:x/ HTTP/1.1",
            "line GET http://[::1/ HTTP/1.1", "line GET * HTTP/1.1", "line GET *a HTTP/1.1",
            "line GET a:80 HTTP/1.1", "line GET /%zz HTTP/1.1", "line GET /%4 HTTP/1.1",
            "line GET /% HTTP/1.1", "line GET /%00 HTTP/1.1", "line GET /?%00 HTTP/1.1",
            "line GET /?%g1 HTTP/1.1", "line GET /../a HTTP/1.1", "line GET /a/.. HTTP/1.1",
            "line GET /./a HTTP/1.1", "line GET /%2e%2E/a HTTP/1.1", "line GET /a/.%2e HTTP/1.1",
            "line GET /%ff HTTP/1.1", "line GET /?%c3%28 HTTP/1.1",
        ],
        "h11 serves proxies too; CONNECT is refused here": [
            "line CONNECT a:80 HTTP/1.1"
        ],
        "h11 unfolds folded field lines": [
            "field  Host: a", "field \tHost: a", "field A: b\r\n folded", "field A: b\r\n\tfolded",
            "field A: \r\n b", "framing Transfer-Encoding: chunked\r\n ",
            "framing Transfer-Encoding:\r\n chunked", "chunk 0\r\nA: b\r\n folded\r\n\r\n",
        ],
        "h11 lets some control bytes stand in values": [
            "field A: b\u{01}", "field A: b\u{7F}", "field A: b\u{08}",
        ],
        "h11 takes any text as Host": [
            "host Host:\r\n", "host Host: \r\n", "host Host: a b\r\n", "host Host: a/b\r\n",
            "host Host: a,b\r\n", "host Host: a@b\r\n", "host Host: a:\r\n", "host Host: a:0\r\n",
            "host Host: a:65536\r\n",
            "host Host: a:x\r\n", "host Host: a:1:2\r\n", "host Host: [::1\r\n", "host Host: []\r\n",
            "host Host: [::1]x\r\n", "host Host: [g]\r\n", "host Host: é\r\n", "host Host: http://a\r\n",
            "host Host: a#\r\n", "host Host: a?\r\n", "host Host: %\r\n", "host Host: %00\r\n",
            "host Host: :80\r\n", "host Host: [::1%25eth0]\r\n", "host Host: a\\b\r\n",
            "host Host: [1.2.3.4]\r\n", "host Host: [:::]\r\n",
        ],
        "h11 accepts a Content-Length repeated with the same number": [
            "framing Content-Length: 3\r\nContent-Length: 3", "framing Content-Length: 3, 3",
        ],
        "h11 has no limit on the size of a body": [
            "framing Content-Length: 99999999999999999999", "framing Content-Length: 18446744073709551616",
            "framing Content-Length: 9223372036854775808", "framing Content-Length: 9223372036854775807",
            "chunk ffffffffffffffff\r\nabc\r\n0\r\n\r\n", "chunk 10000000000000003\r\nabc\r\n0\r\n\r\n",
            "chunk 7fffffffffffffff\r\nabc\r\n0\r\n\r\n", "chunk fffffff\r\nabc\r\n0\r\n\r\n",
            "a body too large",
        ],
        "h11 lets Transfer-Encoding override Content-Length": [
            "framing Content-Length: 3\r\nTransfer-Encoding: chunked",
            "framing Transfer-Encoding: chunked\r\nContent-Length: 3",
        ],
        "h11 reads Transfer-Encoding in HTTP/1.0": [
            "chunked in 1.0"
        ],
        "h11 passes over blanks and anything behind a semicolon in chunk-size lines": [
            "chunk 3 \r\nabc\r\n0\r\n\r\n", "chunk 3\t\r\nabc\r\n0\r\n\r\n",
            "chunk 3;\0\r\nabc\r\n0\r\n\r\n", "chunk 3;a\u{01}\r\nabc\r\n0\r\n\r\n",
            "chunk 3;\r\nabc\r\n0\r\n\r\n", "chunk 3;a=\r\nabc\r\n0\r\n\r\n",
            "chunk 3;=a\r\nabc\r\n0\r\n\r\n", "chunk 3;a=\"b\r\nabc\r\n0\r\n\r\n",
            "chunk 3;xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
        ],
        "h11 takes a bare line feed as a line end": [
            "chunk 3\r\nabc\r\n0\r\n\n", "chunk 0\r\nA: b\n\r\n", "a bare LF behind the line",
            "a bare LF behind a field", "a bare LF at the end", "bare LFs throughout",
        ],
        "h11 refuses empty lines before a request, which RFC 9112 section 2.2 says to pass over": [
            "one empty line before", "two empty lines before", "an empty line between",
        ],
        "h11 waits for the rest of a head before it looks at the request line": [
            "HTTP/0.9"
        ],
        "h11 was given wider limits on the head": [
            "a long target", "a long field", "101 fields", "a long method",
        ],
    ]

    /// The names of all differing requests.
    static let names = Set(reasons.values.joined())
}
