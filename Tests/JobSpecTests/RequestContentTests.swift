import HTTPMessage
import JobKit
@testable import JobSpec
import StrictJSON
import TestOperations
import Testing

@Suite struct `The content of a request` {
    private func call(_ request: String, path: [String] = ["send"]) throws -> HTTPCall {
        let spec = try readSpec(#"{"type":"network","request":{"url":"https://a.example/",\#(request)}}"#)
        let call = try #require(spec.operation.call)
        return try call.makeCall(lookup: `A call built from a spec`.lookup, seed: "job_1", path: path)
    }

    private func type(_ call: HTTPCall) -> String {
        call.fields.first { $0.name == "Content-Type" }?.value ?? ""
    }

    @Test func `is a form of parts in the order of the spec`() throws {
        let call = try call(
            #"""
            "method":"POST","multipart":[
              {"name":"note","text":"grüße"},
              {"name":"n\"ame","filename":"a\r\nb.json","json":{"a":[1, 2]}},
              {"name":"raw","filename":"x.bin","base64":"AAEC/w=="},
              {"name":"typed","content_type":"text/csv","text":"a,b"}]
            """#)
        let boundary = try #require(type(call).split(separator: "boundary=").last.map(String.init))
        #expect(type(call) == "multipart/form-data; boundary=\(boundary)")
        let expected =
            [
                "--\(boundary)", #"Content-Disposition: form-data; name="note""#, "", "grüße",
                "--\(boundary)",
                #"Content-Disposition: form-data; name="n%22ame"; filename="a%0D%0Ab.json""#,
                "Content-Type: application/json", "", #"{"a":[1,2]}"#, "--\(boundary)",
                #"Content-Disposition: form-data; name="raw"; filename="x.bin""#,
                "Content-Type: application/octet-stream", "", "",
            ].joined(separator: "\r\n").utf8 + [0, 1, 2, 0xFF]
            + [
                "", "--\(boundary)", #"Content-Disposition: form-data; name="typed""#,
                "Content-Type: text/csv",
                "", "a,b", "--\(boundary)--", "",
            ].joined(separator: "\r\n").utf8
        #expect(call.body == Array(expected))
    }

    @Test(arguments: [
        (#""json":{"a":[1,{"$secret":"word"}]}"#, true), (#""form":{"a":{"$secret":"word"}}"#, true),
        (#""text":{"$text":"Key {k}","vars":{"k":{"$secret":"word"}}}"#, true),
        (#""multipart":{"a":{"$secret":"word"}}"#, true), (#""json":{"a":1}"#, false),
        (#""headers":{"x-key":{"$secret":"word"}},"text":"plain""#, false),
    ])
    func `is confidential when a secret is a part of it`(content: String, isConfidential: Bool) throws {
        let spec = try readSpec(
            #"{"type":"network","request":{"url":"https://a.example/","method":"POST",\#(content)}}"#)
        let network = try #require(spec.operation.call)
        let call = try network.makeCall(
            lookup: Binding.Lookup { _ in .string("hidden") }, seed: "job_1", path: ["send"])
        #expect(call.hasConfidentialContent == isConfidential)
    }

    @Test(arguments: [
        ("multipart/form-data", "multipart/form-data"), ("Multipart/Form-Data;", "multipart/form-data"),
        ("multipart/mixed; charset=utf-8", "multipart/mixed; charset=utf-8"),
        ("multipart/form-data; boundary=\"of my own\"", "multipart/form-data"),
    ])
    func `has its boundary in a type that the spec wrote`(written: String, shown: String) throws {
        let written = JSONValue.string(written).encoded()
        let call = try call(
            #""method":"POST","headers":{"content-type":\#(String(decoding: written, as: UTF8.self))},"#
                + #""multipart":{"a":"1"}"#)
        let types = call.fields.filter { $0.name.lowercased() == "content-type" }.map(\.value)
        let boundary = try #require(types.first?.split(separator: "boundary=").last.map(String.init))
        #expect(types == ["\(shown); boundary=\(boundary)"])
        #expect(String(decoding: try #require(call.body), as: UTF8.self).hasPrefix("--\(boundary)\r\n"))
    }

    @Test func `keeps a type that the spec wrote and that has no parts`() throws {
        let call = try call(
            #""method":"POST","headers":{"Content-Type":"application/x-form"},"multipart":{"a":"1"}"#)
        #expect(type(call) == "application/x-form")
    }

    @Test func `takes plain fields of a form from an object`() throws {
        let call = try call(#""method":"POST","multipart":{"a":"1","b":true}"#)
        let text = String(decoding: try #require(call.body), as: UTF8.self)
        #expect(text.contains("name=\"a\"\r\n\r\n1\r\n") && text.contains("name=\"b\"\r\n\r\ntrue\r\n"))
    }

    @Test func `has the same boundary at every attempt, and one that no part contains`() throws {
        let first = try call(#""method":"POST","multipart":{"a":"1"}"#)
        #expect(try call(#""method":"POST","multipart":{"a":"1"}"#).body == first.body)
        let boundary = try #require(type(first).split(separator: "boundary=").last)
        #expect(boundary.utf8.count <= 70)
        let hostile = try call(#""method":"POST","multipart":{"a":"x\r\n--\#(boundary)--\r\n"}"#)
        let other = try #require(type(hostile).split(separator: "boundary=").last)
        #expect(other != boundary)
        let parts = String(decoding: try #require(hostile.body), as: UTF8.self).components(other)
        #expect(parts == 3)
    }

    @Test func `is the content of an earlier operation, byte for byte`() async throws {
        let run = SpecRun { call, _ in (200, call.url.hasSuffix("/from") ? "{ \"a\" : 1 }\n" : "{}") }
        let ending = try await run.ending(
            #"""
            {"type":"group","operations":[
              {"type":"network","name":"to","request":{"method":"PUT","url":"https://a.example/to","artifact":"from"}},
              {"type":"network","name":"form","request":{"method":"POST","url":"https://a.example/form",
                "multipart":[{"name":"f","filename":"a.json","artifact":"from"}]}},
              {"type":"network","name":"from","request":"https://a.example/from"}]}
            """#)
        #expect(ending.state == .succeeded)
        let put = try #require(run.calls.all.first { $0.method == "PUT" })
        #expect(put.body == Array("{ \"a\" : 1 }\n".utf8))
        #expect(type(put) == "application/json")
        let form = try #require(run.calls.all.first { $0.method == "POST" }?.body)
        let text = String(decoding: form, as: UTF8.self)
        #expect(
            text.contains(
                "filename=\"a.json\"\r\nContent-Type: application/json\r\n\r\n{ \"a\" : 1 }\n\r\n--"))
    }

    @Test(arguments: [("GET", true), ("DELETE", true), ("POST", false), ("QUERY", false)])
    func `is warned of where it has no meaning`(method: String, isWarned: Bool) throws {
        let spec = try readSpec(
            #"{"type":"network","request":{"url":"https://a.example/","method":"\#(method)","text":"x"}}"#)
        let codes = SpecPlan(spec).warnings.map(\.code)
        #expect(codes.contains("warning.content_without_meaning") == isWarned)
    }

    @Test func `sends a header as often as it has values`() throws {
        let call = try call(#""headers":{"X-Tag":["a","b"],"Accept":"text/plain"}"#)
        #expect(
            call.fields.prefix(3).map { "\($0.name): \($0.value)" } == [
                "X-Tag: a", "X-Tag: b", "Accept: text/plain",
            ])
    }

    @Test(arguments: [
        ("get", "GET"), ("Purge", "Purge"), ("M-SEARCH", "M-SEARCH"), ("VERSION-CONTROL", "VERSION-CONTROL"),
        ("patch", "PATCH"), ("!#$%&'*+.^_`|~", "!#$%&'*+.^_`|~"),
    ])
    func `goes with every method that is a token`(written: String, sent: String) throws {
        #expect(try call(#""method":"\#(written)""#).method == sent)
    }

    @Test(arguments: [
        WrongSpec(#""method":"trace""#, "/method", "spec.bad_method", hint: "credentials"),
        WrongSpec(#""method":"""#, "/method", "spec.bad_method"),
        WrongSpec(#""method":"HEAD","text":"a""#, "/text", "spec.conflict", hint: "HEAD"),
        WrongSpec(
            #""multipart":"a""#, "/multipart", "spec.wrong_type",
            #"[{"name": "note", "text": "…"}]"#),
        WrongSpec(#""multipart":{"a":{"b":1}}"#, "/multipart/a", "spec.wrong_type"),
        WrongSpec(
            #""multipart":[1]"#, "/multipart/0", "spec.wrong_type", #"{"name": "note", "text": "…"}"#),
        WrongSpec(#""multipart":[{"text":"a"}]"#, "/multipart/0", "spec.missing_member"),
        WrongSpec(#""multipart":[{"name":"a"}]"#, "/multipart/0", "spec.missing_member", #""text": "…""#),
        WrongSpec(#""multipart":[{"name":"a","text":"","json":1}]"#, "/multipart/0/json", "spec.conflict"),
        WrongSpec(#""multipart":[{"name":"a","base64":"?"}]"#, "/multipart/0/base64", "spec.bad_base64"),
        WrongSpec(
            #""multipart":[{"name":"a","text":"","content_type":"a\r\nb"}]"#, "/multipart/0/content_type",
            "spec.unknown_word", "text/plain; charset=utf-8"),
        WrongSpec(
            #""multipart":[{"name":"a","json":1,"txt":""}]"#, "/multipart/0/txt", "spec.unknown_member",
            "text"),
        WrongSpec(#""text":"a","multipart":{}"#, "/multipart", "spec.conflict"),
        WrongSpec(#""artifact":"nobody""#, "/artifact", "spec.unknown_reference"),
        WrongSpec(#""artifact":{}"#, "/artifact", "spec.missing_member"),
        WrongSpec(#""artifact":7"#, "/artifact", "spec.wrong_type"),
        WrongSpec(#""artifact":{"id":7}"#, "/artifact/id", "spec.wrong_type"),
        WrongSpec(#""artifact":{"id":"job_1"}"#, "/artifact/id", "spec.unknown_reference", hint: "art_"),
        WrongSpec(
            #""artifact":"art_01m89bdke0e52st1b9k4ypp8cx""#, "/artifact", "spec.wrong_type",
            #"{"id": "art_01m89bdke0e52st1b9k4ypp8cx"}"#),
        WrongSpec(
            #""multipart":[{"name":"f","artifact":{"id":"art_01m89bdke0e52st1b9k4ypp8cx","bytes":1}}]"#,
            "/multipart/0/artifact/bytes", "spec.unknown_member"),
        WrongSpec(#""headers":{"A":["a","b\n"]}"#, "/headers/A/1", "spec.bad_header"),
        WrongSpec(#""http":{"version":"3"}"#, "/http/version", "spec.unknown_word"),
        WrongSpec(#""http":{"compress":true}"#, "/http/compress", "spec.unknown_member", "compression"),
        WrongSpec(
            #""redirects":{"same_host_only":true,"keep_auth":true}"#, "/redirects/keep_auth", "spec.conflict"),
    ])
    func `is refused with problem and remedy`(_ wrong: WrongSpec) {
        let found = problems(
            #"{"type":"network","request":{"url":"http://a.example/",\#(wrong.text)}}"#)
        #expect(found.map(\.code) == [wrong.code], "\(found)")
        #expect(found.first?.pointer.description == "/request" + wrong.pointer)
        #expect(found.first?.suggestion == wrong.suggestion)
        #expect(found.first?.detail.contains(wrong.hint) == true, "\(found)")
    }
}

extension String {
    /// The number of pieces that `separator` splits it into.
    fileprivate func components(_ separator: Substring) -> Int {
        split(separator: separator, omittingEmptySubsequences: false).count
    }
}
