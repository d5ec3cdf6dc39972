@testable import JobSpec
import StrictJSON
import Testing

@Suite struct `A curl command line` {
    /// The translation of a line without its type and the members common to all lines (`redirects`, `http`).
    private func request(_ line: String) throws -> JSONValue {
        let spec = try CurlScript(Array("curl \(line)".utf8)).spec
        guard case .object(var request)? = spec.object?["request"] else { throw Mismatch() }
        #expect(problems(String(decoding: spec.encoded(), as: UTF8.self)) == [])
        if request["redirects"] == 0 { request["redirects"] = nil }
        if request["http"] == ["compression": false] { request["http"] = nil }
        return .object(request)
    }

    private static let form = #""headers":{"Content-Type":"application/x-www-form-urlencoded"}"#

    private static let json = #""headers":{"Content-Type":"application/json","#

    static let lines: [(String, String)] = [
        ("http://a.example/", #"{"url":"http://a.example/"}"#), ("a.example", #"{"url":"http://a.example"}"#),
        ("--url http://a.example -X PURGE", #"{"method":"PURGE","url":"http://a.example"}"#),
        ("-I http://a.example", #"{"method":"HEAD","url":"http://a.example"}"#),
        (
            "http://a.example -d a=1 -d b=2",
            #"{"method":"POST","url":"http://a.example","text":"a=1&b=2",\#(form)}"#
        ),
        (
            "http://a.example --data-raw @x",
            #"{"method":"POST","url":"http://a.example","text":"@x",\#(form)}"#
        ),
        (
            "http://a.example --data-urlencode 'q=a b&c' --data-urlencode '=é/'",
            #"{"method":"POST","url":"http://a.example","text":"q=a+b%26c&%C3%A9%2F",\#(form)}"#
        ),
        ("-G http://a.example/?x=1 -d y=2", #"{"url":"http://a.example/?x=1&y=2"}"#),
        ("http://a.example --url-query 'a=b c'", #"{"url":"http://a.example?a=b+c"}"#),
        (
            #"http://a.example --json '{"a":1}'"#,
            #"{"method":"POST","url":"http://a.example","json":{"a":1},\#(json)"Accept":"application/json"}}"#
        ),
        (
            #"-XPUT http://a.example --json='{"a": 1}' -H 'Accept: text/plain'"#,
            #"{"method":"PUT","url":"http://a.example","text":"{\"a\": 1}","#
                + #""headers":{"Accept":"text/plain","Content-Type":"application/json"}}"#
        ),
        (
            "http://a.example -H 'X-A: 1' -H X-A:2 -H 'X-B;'",
            #"{"url":"http://a.example","headers":{"X-A":["1","2"],"X-B":""}}"#
        ),
        (
            "http://a.example -A me -e http://b.example -b a=b",
            #"{"url":"http://a.example","headers":{"User-Agent":"me","Referer":"http://b.example","Cookie":"a=b"}}"#
        ),
        (
            "-u ada:a:b http://a.example",
            #"{"url":"http://a.example","auth":{"type":"basic","username":"ada","password":"a:b"}}"#
        ),
        (
            "http://ada:p%40w@a.example/x",
            #"{"url":"http://a.example/x","auth":{"type":"basic","username":"ada","password":"p@w"}}"#
        ),
        (
            "--oauth2-bearer t0k http://a.example",
            #"{"url":"http://a.example","auth":{"type":"bearer","token":"t0k"}}"#
        ),
        (
            #"http://a.example -F a=1 -F 'b="x;y";type=text/csv;filename=b.csv' --form-string 'c=@d;type=e'"#,
            #"{"method":"POST","url":"http://a.example","multipart":[{"name":"a","text":"1"},"#
                + #"{"name":"b","filename":"b.csv","content_type":"text/csv","text":"x;y"},"#
                + #"{"name":"c","text":"@d;type=e"}]}"#
        ),
        ("-sSfL http://a.example --max-redirs 3", #"{"url":"http://a.example","redirects":3}"#),
        (
            "--location-trusted http://a.example",
            #"{"url":"http://a.example","redirects":{"follow":20,"keep_auth":true}}"#
        ),
        ("--compressed --http1.1 http://a.example", #"{"url":"http://a.example","http":{"version":"1.1"}}"#),
        (
            "-m 2.5 --connect-timeout 1 http://a.example",
            #"{"url":"http://a.example"}"#
        ),
        ("-g 'http://a.example/{x}'", #"{"url":"http://a.example/%7Bx%7D"}"#),
        (
            "$'http://a.example' --data-binary $'\\xff'",
            #"{"method":"POST","url":"http://a.example","base64":"/w==",\#(form)}"#
        ),
        ("-X POST -d '' -H 'Content-Type:' http://a.example", #"{"method":"POST","url":"http://a.example"}"#),
        ("http://a.example/x#y", #"{"url":"http://a.example/x"}"#),
        ("http://a.example/a/../b/.?c=../d", #"{"url":"http://a.example/b/?c=../d"}"#),
        ("--path-as-is http://a.example/a/../b", #"{"url":"http://a.example/a/../b"}"#),
        // Several cookies are one field, and a field of `-H` goes before that of its own option.
        (
            "http://a.example -b a=1 -b 'b=2; c=3'",
            #"{"url":"http://a.example","headers":{"Cookie":"a=1;b=2; c=3"}}"#
        ),
        (
            "http://a.example -b a=1 -H 'cookie: z=9' -A x -H 'User-Agent: y' -e r -H Referer: -u a:b -H 'Authorization: t'",
            #"{"url":"http://a.example","headers":{"cookie":"z=9","User-Agent":"y","Authorization":"t"}}"#
        ),
        (
            "-A one -A two -e 'r;auto' http://a.example",
            #"{"url":"http://a.example","headers":{"User-Agent":"two","Referer":"r"}}"#
        ),
        ("http://a.example --url-query '+a=b%20c&d=@e' -g", #"{"url":"http://a.example?a=b%20c&d=@e"}"#),
        ("http://a.example --url-query =x=y --url-query 'a b'", #"{"url":"http://a.example?x%3Dy&a+b"}"#),
        ("-G http://a.example/ --url-query a=1 -d b=2", #"{"url":"http://a.example/?b=2"}"#),
        ("'a.example/b?c=http://d.example/'", #"{"url":"http://a.example/b?c=http://d.example/"}"#),
        // A browser escapes what curl would take for patterns.
        (
            #"'http://a.example/?a[]=1&b\[2\]=\{3\}\4é'"#,
            #"{"url":"http://a.example/?a[]=1&b[2]=%7B3%7D%5C4%C3%A9"}"#
        ),
    ]

    private static let parts: [(String, String)] = [
        ("a=b;c", #"{"text":"b"}"#), (#"a="b;c" d"#, #"{"text":"b;c"}"#), ("a= b ", #"{"text":"b"}"#),
        (#"a="b\"c\\d\e""#, #"{"text":"b\"c\\d\\e"}"#), (#"a="b"#, #"{"text":"\"b"}"#),
        (#"a=b\"c"#, #"{"text":"b\\\"c"}"#),
        // The type is that of the name, or there is none.
        ("a=b;filename=c.TXT", #"{"text":"b","filename":"c.TXT","content_type":"text/plain"}"#),
        ("a=b;filename=c.jpeg", #"{"text":"b","filename":"c.jpeg","content_type":"image/jpeg"}"#),
        ("a=b;filename=c.json", #"{"text":"b","filename":"c.json","content_type":""}"#),
        (
            "a=b; TYPE=c/d; e=f ; Filename= g.bin ",
            #"{"text":"b","filename":"g.bin","content_type":"c/d; e=f"}"#
        ),
        ("a=b;type=c/d;filename=e.png", #"{"text":"b","filename":"e.png","content_type":"c/d"}"#),
    ]

    @Test(arguments: parts)
    func `has parts of a form as curl reads them`(part: String, expected: String) throws {
        let request = try request("http://a.example -F '\(part)'")
        var wanted = try #require(try JSONParser.parse(Array(expected.utf8)).object)
        wanted["name"] = "a"
        let got = try #require(request.object?["multipart"]?.array?.first?.object)
        #expect(Set(got.members.map(\.name)) == Set(wanted.members.map(\.name)))
        for member in wanted.members { #expect(got[member.name] == member.value, "\(member.name)") }
    }

    @Test(arguments: [
        ("-o 'a b [1]+(2).pdf' a.example", "a_b_1_2_.pdf"), ("-o x/.b.txt a.example", "b.txt"),
        ("-o é a.example", nil), ("-O a.example/b%20c+d.txt?e", "b_c_d.txt"), ("-O a.example/b/", nil),
        (#"-O 'a.example/b\[1\].txt'"#, "b_1_.txt"),
    ])
    func `keeps the content under a name like that of the file`(line: String, name: String?) throws {
        let script = try CurlScript(Array("curl \(line)".utf8))
        #expect(script.spec.object?["type"] == "download")
        #expect(script.spec.object?["save"]?.object?["artifact"]?.string == name)
        #expect(problems(String(decoding: script.spec.encoded(), as: UTF8.self)) == [])
        // A changed name is told.
        #expect(script.warnings.count == (name == nil ? 0 : 1), "\(script.warnings)")
    }

    @Test(arguments: lines)
    func `becomes a request`(line: String, expected: String) throws {
        let wanted = try JSONParser.parse(Array(expected.utf8)).object
        let got = try request(line).object
        #expect(Set(got?.members.map(\.name) ?? []) == Set(wanted?.members.map(\.name) ?? []))
        for member in wanted?.members ?? [] { #expect(got?[member.name] == member.value, "\(member.name)") }
    }

    @Test func `has the number of attempts`() throws {
        let line = "curl http://a.example --retry 3 --retry-delay 2 --retry-max-time 60 --retry-all-errors"
        let spec = try CurlScript(Array(line.utf8)).spec
        let quick = try CurlScript(Array("curl -m 2.5 --connect-timeout 1 a.example".utf8)).spec
        #expect(quick.object?["timeouts"] == ["connect": "1s", "attempt": "2.5s"])
        #expect(spec.object?["retry"]?.object?["max_attempts"] == 4)
        #expect(spec.object?["retry"]?.object?["backoff"] == "2s")
        #expect(spec.object?["timeouts"]?.object?["total"] == "1m")
        #expect(problems(String(decoding: spec.encoded(), as: UTF8.self)) == [])
    }

    @Test func `becomes a step of an ordered group when there are several`() throws {
        let script =
            "# log in\ncurl http://a.example/1 \\\n  -d x\n\ncurl http://a.example/2 && curl http://a.example/3"
        let spec = try CurlScript(Array(script.utf8)).spec
        #expect(spec.object?["type"] == "group")
        #expect(spec.object?["ordered"] == true)
        #expect(spec.object?["operations"]?.array?.count == 3)
        #expect(problems(String(decoding: spec.encoded(), as: UTF8.self)) == [])
    }

    @Test(arguments: [
        ("-s -v -i", 3), ("-f --fail-with-body", 2), ("-w '%{http_code}' -D -", 2), ("-m 0", 1),
        ("--no-buffer", 1),
        ("-H 'Connection: keep-alive' -H 'Host: a.example' -H 'TE: trailers'", 3), ("-H 'Accept:'", 1),
        ("", 0),
    ])
    func `reports members without effect`(flags: String, count: Int) throws {
        let script = try CurlScript(Array("curl http://a.example \(flags)".utf8))
        #expect(script.warnings.count == count)
        #expect(script.warnings.allSatisfy { $0.detail.contains("has no effect") })
    }

    private func refusals(_ line: String) -> [SpecProblem] {
        do throws(SpecProblems) {
            _ = try CurlScript(Array(line.utf8))
            return []
        } catch { return error.list }
    }

    @Test(arguments: [
        ("curl -k http://a.example", "column 6", "authority"),
        ("curl -d @f http://a.example", "column 9", "--data-raw"),
        ("curl -F 'a=@f' http://a.example", "column 9", "filename"),
        ("curl -T f http://a.example", "column 6", "-X PUT"),
        ("curl -u ada http://a.example", "column 9", "password"), ("curl", "column 1", "no URL"),
        ("curl --jsn 1 http://a.example", "column 6", "--json"),
        ("curl -sW http://a.example", "column 6", "-W"),
        ("curl http://a.example http://b.example", "column 23", "second URL"),
        ("curl http://a.example/[1-3]", "column 6", "-g"),
        ("curl -b jar http://a.example", "column 9", "cookies"),
        ("wget http://a.example", "column 1", "wget"), ("curl http://a.example -H", "column 23", "value"),
        ("curl http://a.example -m x", "column 26", "seconds"),
        ("curl -H @f http://a.example", "column 9", "headers"),
        ("curl http://a.example --retry -1", "column 31", "whole number"),
        ("curl -I -d x http://a.example", "column 1", "-G"),
        ("curl -d x -F a=b http://a.example", "column 1", "not both"),
        ("curl --silent=1 http://a.example", "column 6", "no value"),
        ("curl --http3 http://a.example", "column 6", "HTTP/2"),
        ("curl -K f http://a.example", "column 6", "files"),
        ("curl --next http://a.example", "column 6", "line of its own"),
        ("curl -d \"$X\" http://a.example", "column 10", "$X"),
        ("curl -H 'Host: b.example' http://a.example", "column 9", "comes from the URL"),
        ("curl -H 'Upgrade: h2c' http://a.example", "column 9", "Leave it out"),
        ("curl -G http://a.example -d 'q=a b'", "column 9", "--data-urlencode"),
        ("curl 'http://a.example/a b'", "column 6", "%20"),
        ("curl ftp.a.example -b @a=b", "column 23", "cookies"),
        ("curl a.example -F 'a=(b'", "column 19", "nested"),
        ("curl a.example -F 'a=b;type=c'", "column 19", "media type"),
        ("curl -L -b '' a.example", "column 12", "redirects"),
        ("curl -Le ';auto' a.example", "column 10", "redirects"),
        ("curl -F a=1 -H 'Content-Type: a/b' a.example", "column 1", "Leave out"),
        ("# nothing", "line 1", "no command"),
    ])
    func `is refused with position and remedy`(line: String, place: String, hint: String) throws {
        let problem = try #require(refusals(line).first)
        #expect(problem.detail.contains(place), "\(problem.detail)")
        #expect(problem.detail.contains(hint), "\(problem.detail)")
        #expect(problem.code.hasPrefix("curl."))
    }

    @Test func `is refused with everything at once`() {
        let found = refusals("curl -k --http3 -d @f \"$URL\"\ncurl -Z http://a.example > f")
        #expect(found.count == 6, "\(found)")
    }
}
