import FaultyHTTP
import Foundation
import StrictJSON
import Testing

/// Jobs from curl lines, and curl lines from jobs, judged by the real curl.
@Suite(.serialized) struct `A live server and curl lines` {
    private static let script = ["Content-Type: text/x-shellscript"]

    private func peer() -> FaultServer {
        FaultServer { connection, _ in
            while connection.readRequest() != nil {
                connection.answer("ok", fields: "Connection: keep-alive\r\n")
            }
        }
    }

    @Test func `takes a curl command line as a job`() throws {
        let peer = peer()
        defer { peer.stop() }
        let server = try LiveServer()
        let line =
            "curl -sS -X PUT \(peer.url("/a?b=c")) \\\n  -H 'X-Tag: it'\\''s' --json '{\"n\": 1}' # done\n"
        let made = try server.post("/v1/jobs", line, headers: Self.script + ["Prefer: wait=10"])
        #expect(made.status == 200)
        #expect(made.at("/state") == "succeeded")
        #expect(made.at("/warnings/0/code") == "warning.curl_option")
        let request = try #require(peer.requests.first)
        #expect(request.hasPrefix("PUT /a?b=c HTTP/1.1\r\n"))
        #expect(request.contains("\r\nX-Tag: it's\r\n"))
        #expect(request.contains("\r\nContent-Type: application/json\r\n"))
        #expect(request.hasSuffix("\r\n\r\n{\"n\": 1}"))
        let id = try #require(made.at("/id")?.string)
        #expect(try server.get("/v1/jobs/\(id)/spec").at("/request/method") == "PUT")
    }

    @Test func `refuses a line with everything that is wrong with it`() throws {
        let server = try LiveServer()
        let answer = try server.post("/v1/jobs", "curl -k $URL | jq", headers: Self.script)
        #expect(answer.status == 422)
        #expect(answer.at("/code") == "spec.invalid")
        #expect(answer.at("/errors")?.array?.count == 4, "\(answer.json)")
        let wrong = try server.post("/v1/jobs", "curl ftp://a.example/", headers: Self.script)
        #expect(wrong.status == 422)
        #expect(wrong.at("/errors/0/pointer") == "/request/url")
        let plan = try server.post(
            "/v1/jobs?validate_only=true", "curl -v http://a.example/", headers: Self.script)
        #expect(plan.at("/warnings/0/detail")?.string?.contains("-v") == true)
    }

    static let specs = [
        #""url":"URL/a?b=c%20d""#, #""url":"URL/a/../b/%2e%2e/c|^?d=|^&e=../f""#,
        #""url":"URL/","method":"HEAD""#, #""url":"URL/","method":"POST""#,
        #""url":"URL/","method":"DELETE","headers":{"X-A":["it's","$HOME"],"X-Empty":""}"#,
        #""url":"URL/x","method":"POST","json":{"a":[1,"é '\" \\ \n"]}"#,
        #""url":"URL/x","method":"PUT","form":{"a":"b c","d":["1","2"]},"idempotency_key":"auto""#,
        #""url":"URL/x","method":"M-SEARCH","text":"line 1\nline\t2\u0001","auth":{"type":"basic","username":"ada","password":"p:w"}"#,
        #""url":"URL/x","method":"POST","base64":"AAEC/w==","http":{"compression":false}"#,
        #""url":"URL/x","method":"POST","multipart":[{"name":"a","text":"1;2"},{"name":"b","filename":"b\".json","json":{"k":1}}]"#,
    ]

    @Test(arguments: specs)
    func `writes a job as a line with which curl sends the same bytes`(request: String) throws {
        let peer = peer()
        defer { peer.stop() }
        let server = try LiveServer()
        let text = request.replacing("URL", with: peer.url(""))
        let id = try server.submit(#"{"type":"network","request":{\#(text)}}"#)
        #expect(try server.get("/v1/jobs/\(id)", headers: ["Prefer: wait=10"]).at("/state") == "succeeded")
        let script = try server.get("/v1/jobs/\(id)/spec", headers: ["Accept: text/x-shellscript"])
        #expect(script.status == 200)
        #expect(script.field("content-type") == "text/x-shellscript; charset=utf-8")
        let line = String(decoding: script.body, as: UTF8.self)
        let ended = try LiveServer.run(
            URL(filePath: "/bin/bash"), ["-c", line.replacing("curl ", with: "curl -s -o /dev/null ")])
        #expect(ended.code == 0, "\(line)\n\(ended.errors)")
        let requests = peer.requests
        try #require(requests.count == 2)
        #expect(Self.comparable(requests[1]) == Self.comparable(requests[0]), "\(line)")
    }

    /// A request with sorted fields and without its boundary, which curl chooses at random.
    private static func comparable(_ request: String) -> [String] {
        var text = request
        if let found = text.firstRange(of: "boundary="),
            let end = text[found.upperBound...].firstIndex(of: "\r\n")
        {
            let boundary = String(text[found.upperBound..<end])
            text = text.replacing(boundary, with: "B")
        }
        let parts = text.split(separator: "\r\n\r\n", maxSplits: 1, omittingEmptySubsequences: false)
        let lines = parts[0].split(separator: "\r\n").map(String.init)
        let fields = lines.dropFirst().filter {
            !$0.hasPrefix("Content-Length:") || !text.contains("\r\nB") && !text.contains("--B")
        }
        return [lines[0]] + fields.sorted() + [parts.count > 1 ? String(parts[1]) : ""]
    }

    @Test func `splits words as bash does`() throws {
        let words = [
            #"'b c'"#, #""d e""#, #"f\ g"#, #""\a\"\$\`\\""#, #"'\n'"#, #"$'\t\x41\101\u00e9\''"#, "a\\\nb#c",
            #"a"b"'c'$'d'"#, #"$'\cA\?'"#, #""x\y""#, "\"a\\\nb\"", #"a\"b"#, "a$", #""a$""#,
        ]
        let bash = try LiveServer.run(
            URL(filePath: "/usr/bin/env"),
            ["LC_ALL=C.UTF-8", "bash", "-c", "printf '%s\\036' " + words.joined(separator: " ")])
        let told = bash.output.split(separator: "\u{1E}", omittingEmptySubsequences: false).dropLast().map(
            String.init)
        #expect(told.count == words.count)
        for (word, expected) in zip(words, told) {
            let ours = try LiveServer.run(
                LiveServer.program,
                ["curl", "curl http://a.example/ --data-raw \(word) -H 'Content-Type: a/b'"])
            let spec = try JSONParser.parse(Array(ours.output.utf8)).object
            #expect(spec?["request"]?.object?["text"]?.string == expected, "\(word)")
        }
    }

    @Test func `prints the spec of a line, or its problems`() throws {
        let good = try LiveServer.run(LiveServer.program, ["curl", "curl -s http://a.example/ -d x=1"])
        #expect(good.code == 0)
        #expect(good.errors.contains("-s has no effect"))
        let spec = try JSONParser.parse(Array(good.output.utf8)).object
        #expect(spec?["request"]?.object?["method"] == "POST")
        let wrong = try LiveServer.run(LiveServer.program, ["curl", "curl -k http://a.example/"])
        #expect(wrong.code == 1)
        #expect(wrong.errors.contains("line 1, column 6: -k is not supported"))
    }
}
