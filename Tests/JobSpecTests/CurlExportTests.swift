import HTTPMessage
@testable import JobSpec
import StrictJSON
import Testing

@Suite struct `A job as curl lines` {
    private func spec(_ text: String) throws -> JobSpec { try readSpec(text) }

    private func call(_ spec: JobSpec) throws -> HTTPCall {
        let call = try #require(spec.operation.call)
        return try call.makeCall(lookup: `A call built from a spec`.lookup, seed: "job_1", path: [])
    }

    static let requests = [
        #""url":"https://a.example/x?q=a%20b&r=1""#, #""url":"https://a.example/","method":"DELETE""#,
        #""url":"https://a.example/","method":"HEAD""#, #""url":"https://a.example/","method":"POST""#,
        #""url":"https://a.example/","method":"M-SEARCH","headers":{"X-A":["it's","$HOME `ls`"],"X-B":""}"#,
        #""url":"https://a.example/","method":"POST","json":{"a":[1,"é '\" \\ \n"]}"#,
        #""url":"https://a.example/","method":"POST","form":{"a":"b c","d":["1","2"]}"#,
        #""url":"https://a.example/","method":"PATCH","text":"line 1\nline\t2\u0001 \u007f","idempotency_key":"auto""#,
        #""url":"https://a.example/","method":"PUT","base64":"/wEC""#,
        #""url":"https://a.example/","json":null"#, #""url":"https://a.example/","method":"POST","text":"""#,
        #""url":"https://a.example/","auth":{"type":"basic","username":"ada","password":"p:w '$x"}"#,
        #""url":"https://a.example/","auth":{"type":"bearer","token":"abc"},"redirects":{"follow":2,"keep_auth":true}"#,
        #""url":"https://a.example/","http":{"version":"1.1","compression":false},"redirects":0"#,
        #""url":"https://a.example/a/../b/./c?d=..""#, #""url":"https://a.example/%2e%2e/b""#,
        #""url":"HTTP://A.Example:80?q""#,
        #""url":"https://a.example/{a}","vars":{"a":"{}[]"}},"timeouts":{"connect":"1500ms","attempt":"2s"},"labels":{"a":"b""#,
    ]

    @Test(arguments: requests)
    func `come back as the same request`(request: String) throws {
        let first = try spec(#"{"type":"network","request":{\#(request)}}"#)
        let line = CurlExport.script(for: first, seed: "job_1")
        let back = try spec(String(decoding: CurlScript(Array(line.utf8)).spec.encoded(), as: UTF8.self))
        let (sent, again) = (try call(first), try call(back))
        #expect(again.method == sent.method, "\(line)")
        #expect(again.url == sent.url)
        #expect(
            again.fields.map { "\($0.name): \($0.value)" }.sorted()
                == sent.fields.map { "\($0.name): \($0.value)" }.sorted())
        #expect(again.body == sent.body)
        #expect(again.redirectsMax == sent.redirectsMax && again.redirectScope == sent.redirectScope)
        #expect(again.route == sent.route)
        #expect(again.connectTimeout == sent.connectTimeout && again.attemptTimeout == sent.attemptTimeout)
    }

    @Test func `reproduce forms part by part`() throws {
        let first = try spec(
            #"""
            {"type":"network","request":{"method":"POST","url":"https://a.example/","multipart":[
              {"name":"a","text":"@x;type=y"},{"name":"b","filename":"q\".txt","text":"a\"b\\c;d"},
              {"name":"c","json":{"k":[1]}},{"name":"d","content_type":"text/csv; charset=utf-8","text":"1,2"}]}}
            """#)
        let line = CurlExport.script(for: first, seed: "job_1")
        #expect(line.contains("--form-string 'a=@x;type=y'"))
        let back = try spec(String(decoding: CurlScript(Array(line.utf8)).spec.encoded(), as: UTF8.self))
        #expect(try call(back).body == call(first).body, "\(line)")
    }

    @Test func `have placeholders for run-time values, and secrets`() throws {
        let job = try spec(
            #"""
            {"type":"group","name":"nightly","ordered":true,"operations":[
              {"type":"network","name":"login","request":{"url":"https://a.example/",
                "auth":{"type":"bearer","token":{"$secret":"pay-key"}}}},
              {"type":"delay","name":"pause","for":"1s"},
              {"type":"network","name":"charge","request":{"method":"POST","url":"https://a.example/{id}",
                "vars":{"id":{"$get":"login","at":"/body/id"}},"json":{"n":{"$get":"login","at":"/body/id"}}}}]}
            """#)
        let script = CurlExport.script(for: job, seed: "job_1")
        #expect(script.contains(#"--oauth2-bearer "$V_PAY_KEY""#), "\(script)")
        #expect(script.contains("# $V_PAY_KEY: the secret pay-key"))
        #expect(script.contains(#"https://a.example/"$V_LOGIN_BODY_ID""#))
        #expect(script.contains(#"--data-raw '{"n":"'"$V_LOGIN_BODY_ID"'"}'"#))
        #expect(script.contains("# $V_LOGIN_BODY_ID: /body/id of the result of login"))
        #expect(script.contains("# pause: delay"))
        #expect(script.split(separator: "\n").filter { $0.hasPrefix("curl ") }.count == 2)
    }

    @Test func `name callbacks in a comment, and are read without them`() throws {
        let first = try spec(
            #"""
            {"type": "network", "request": "https://a.example/",
             "callbacks": [{"request": "https://b.example/done", "states": ["failed", "expired"]}]}
            """#)
        let script = CurlExport.script(for: first, seed: "job_1")
        #expect(script.contains("# told when it is failed, expired: POST https://b.example/done\n"))
        #expect(try CurlScript(Array(script.utf8)).spec.object?["callbacks"] == nil)
    }

    @Test func `keep a download in its file`() throws {
        let job = try spec(
            #"{"type":"download","request":"https://a.example/x","save":{"artifact":"a.bin"}}"#)
        let script = CurlExport.script(for: job, seed: "job_1")
        #expect(script.contains("-o a.bin"))
        let back = try CurlScript(Array(script.utf8)).spec
        #expect(back.object?["type"] == "download")
        #expect(back.object?["save"] == ["artifact": "a.bin"])
    }

    @Test func `pipe content that no argument can have`() throws {
        let job = try spec(
            #"{"type":"network","request":{"method":"POST","url":"https://a.example/","base64":"AAE="}}"#)
        let script = CurlExport.script(for: job, seed: "job_1")
        #expect(script.contains("printf %s AAE= | base64 -d |\n  curl "))
        #expect(script.contains("--data-binary @-"))
    }
}
