import HTTPMessage
import StrictJSON
import Synchronization
import Testing
import TestOperations

@testable import JobKit

/// Content with the fields of its answer.
struct SomeContent: Sendable {
    var type: String?
    var bytes: [UInt8]
    var coding: String?

    init(_ type: String?, _ bytes: [UInt8], coding: String? = nil) {
        self.type = type
        self.bytes = bytes
        self.coding = coding
    }

    /// As the result of a call.
    var result: OperationResult {
        var result = OperationResult(status: 200, headers: [], contentType: type, body: bytes)
        result.contentCoding = coding
        return result
    }
}

/// Answers every call to `/from` with content, all others without.
private struct ContentTransport: Transport {
    let content: SomeContent
    let calls: Record<HTTPCall>

    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        calls.append(call)
        let isFrom = call.url.hasSuffix("/from")
        var fields: [(name: String, value: String)] = [("X-Name", "caf\u{E9}")]
        if isFrom, let type = content.type { fields.append(("Content-Type", type)) }
        return HTTPCallAnswer(
            status: 200, fields: fields, body: isFrom ? content.bytes : [], exchange: HTTPCallExchange(),
            contentCoding: isFrom ? content.coding : nil)
    }

    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {}
}

@Suite struct `Content that is no UTF-8` {
    private static let png = SomeContent("image/png", [0x89, 0x50, 0x4E, 0x47, 0x0D, 0xFF, 0x00])
    private static let latin = SomeContent("text/plain; charset=iso-8859-1", Array("caf".utf8) + [0xE9])
    private static let xmlHead = #"<?xml version="1.0" encoding='ISO-8859-15'?><a>"#

    private func run(_ content: SomeContent, _ rest: String, expect: String = "") async throws -> (
        ending: OperationEnding, calls: [HTTPCall]
    ) {
        let run = SpecRun()
        let calls = Record<HTTPCall>()
        run.prepare.withLock { $0 = { $0.transport = ContentTransport(content: content, calls: calls) } }
        let ending = try await run.ending(
            #"""
            {"type":"group","operations":[
              {"type":"network","name":"a","request":"https://x.example/from"\#(expect)}\#(rest)]}
            """#)
        return (ending, calls.all)
    }

    private func next(_ request: String) -> String {
        #",{"type":"network","name":"b","request":{"method":"POST","url":"https://x.example/to",\#(request)}}"#
    }

    @Test(arguments: [
        (latin, "café"), (SomeContent("text/plain;Charset=\"Windows-1252\"", [0x80]), "€"),
        (SomeContent("text/html; charset=Shift_JIS", [0x93, 0xFA, 0x96, 0x7B]), "日本"),
        (SomeContent("text/plain; charset=utf-16", [0xFE, 0xFF, 0, 0xE9]), "é"),
        (SomeContent("text/plain; charset=utf-16le", [0xE9, 0]), "é"),
        (SomeContent("text/plain", [0xFF, 0xFE, 0xE9, 0]), "é"),
        (SomeContent("text/csv; charset=KOI8-R", [0xC1]), "а"),
        (SomeContent("application/soap+xml", Array(xmlHead.utf8) + [0xA4]), xmlHead + "€"),
        (SomeContent("text/plain; charset=utf8", Array("é".utf8)), "é"),
        (SomeContent("text/plain; charset=us-ascii", Array("é".utf8)), "é"),
        (SomeContent("text/plain; charset=of-our-own", Array("plain".utf8)), "plain"),
    ])
    func `is decoded by its charset when it is passed on`(content: SomeContent, text: String) async throws {
        let (ending, calls) = try await run(
            content, next(#""query":{"q":{"$get":"a","at":"/body"}},"text":{"$get":"a","at":"/body"}"#))
        #expect(ending.state == .succeeded, "\(ending.errors)")
        let sent = try #require(calls.last)
        #expect(sent.body == Array(text.utf8))
        #expect(sent.url.hasSuffix("?q=" + PercentCoding.encode(text, for: .anywhere)))
    }

    @Test func `is JSON in the labelled charset`() async throws {
        let content = SomeContent(
            "application/json; charset=latin1", Array(#"{"n":"caf"#.utf8) + [0xE9, 0x22, 0x7D])
        let (_, calls) = try await run(content, next(#""text":{"$get":"a","at":"/body/n"}"#))
        #expect(calls.last?.body == Array("café".utf8))
    }

    @Test(arguments: [
        (png, "is no text in UTF-8"), (SomeContent("text/plain", [0xE9]), "names no other charset"),
        (SomeContent(nil, [0xE9]), "names no other charset"),
        (SomeContent("text/plain; charset=utf-8", [0xE9]), "is no text in UTF-8"),
        (SomeContent("application/json", [0x22, 0xE9, 0x22]), "is no text in UTF-8"),
        (SomeContent("text/plain; charset=of-our-own", [0xE9]), "\"of-our-own\", which is not known"),
        (SomeContent("text/plain; charset=\"utf-16//IGNORE\"", [0xE9]), "which is not known"),
        (SomeContent("text/plain; charset=utf-16be", [0xE9]), "not what its charset \"utf-16be\" allows"),
        (SomeContent("text/plain; charset=shift_jis", [0x93]), "not what its charset"),
        (SomeContent("text/plain", [0x1F, 0x8B], coding: "gzip"), "kept in its coding (gzip)"),
    ])
    func `is an error with the way out where a text is wanted`(content: SomeContent, why: String) async throws
    {
        let wanted = [
            next(#""text":{"$get":"a","at":"/body"}"#), next(#""json":{"x":[{"$get":"a","at":"/body"}]}"#),
            next(#""query":{"q":{"$get":"a","at":"/body"}}"#),
            next(#""headers":{"X-A":{"$text":"{v}","vars":{"v":{"$get":"a","at":"/body"}}}}"#),
            next(#""multipart":{"f":{"$get":"a","at":"/body","default":"none"}}"#),
            #",{"type":"transform","name":"m","input":{"$get":"a","at":"/body"},"result":{"$item":""}}"#,
        ]
        for rest in wanted {
            let (ending, calls) = try await run(content, rest)
            #expect(ending.state == .failed)
            let error = try #require(ending.errors.first)
            #expect(error.code == .referenceType)
            #expect(error.detail.contains(why), "\(error.detail)")
            #expect(error.detail.contains("\"artifact\""))
            #expect(calls.count == 1)
        }
    }

    @Test func `is an error of the call whose expectation reads it`() async throws {
        for test in [#""starts_with":"x""#, #""matches":"P""#, #""not_equals":"x""#] {
            let expect = #","expect":{"that":{"at":"/body",\#(test)}}"#
            let (ending, _) = try await run(Self.png, "", expect: expect)
            #expect(ending.errors.first?.code == .referenceType)
        }
        let decoded = try await run(
            Self.latin, "", expect: #","expect":{"that":{"at":"/body","equals":"café"}}"#)
        #expect(decoded.ending.state == .succeeded)
    }

    @Test func `is there, and all else of its answer can be read`() async throws {
        let expect = #","expect":{"that":{"all":[{"at":"/body","exists":true},{"at":"/bytes","equals":7}]}}"#
        let (ending, calls) = try await run(
            Self.png,
            next(#""json":{"s":{"$get":"a","at":"/status"},"n":{"$get":"a","at":"/headers/x-name"}}"#),
            expect: expect)
        #expect(ending.state == .succeeded, "\(ending.errors)")
        #expect(calls.last?.body == Array(#"{"s":200,"n":"café"}"#.utf8))
    }

    @Test func `is in the result of a group unchanged, or decoded`() async throws {
        let base64 = "iVBORw3/AA=="
        let raw = try await run(Self.png, "").ending
        #expect(raw.result?.bodyValue == ["a": ["base64": .string(base64), "content_type": "image/png"]])
        #expect(try await run(Self.latin, "").ending.result?.bodyValue == ["a": "café"])
        let each = try await listResult(Self.png)
        #expect(each == [["base64": .string(base64), "content_type": "image/png"]])
    }

    private func listResult(_ content: SomeContent) async throws -> JSONValue? {
        let run = SpecRun()
        let transport = ContentTransport(content: content, calls: Record())
        run.prepare.withLock { $0 = { $0.transport = transport } }
        return try await run.value(
            #"""
            {"type":"group","map":{"items":[1],"operation":
              {"type":"network","name":"a","request":"https://x.example/from"}}}
            """#)
    }

    @Test func `is passed on byte for byte as an artifact`() async throws {
        for content in [Self.png, Self.latin] {
            let (ending, calls) = try await run(content, next(#""artifact":"a""#))
            #expect(ending.state == .succeeded)
            #expect(calls.last?.body == content.bytes)
            #expect(calls.last?.value(of: "content-type") == content.type)
        }
    }

    @Test func `is shown decoded where an error shows how it begins`() async throws {
        let (ending, _) = try await run(Self.latin, "", expect: #","expect":{"status":201}"#)
        #expect(ending.errors.first?.upstream?.bodyExcerpt == "café")
    }
}

@Suite struct `Coded content that was kept encoded` {
    private static let packed = SomeContent("application/json", [0x1F, 0x8B, 8, 0, 1], coding: "gzip")

    private func sent(_ request: String, _ content: SomeContent = packed) async throws -> HTTPCall? {
        let run = SpecRun()
        let calls = Record<HTTPCall>()
        run.prepare.withLock { $0 = { $0.transport = ContentTransport(content: content, calls: calls) } }
        let ending = try await run.ending(
            #"""
            {"type":"group","operations":[
              {"type":"network","name":"a","request":{"url":"https://x.example/from","http":{"compression":false}}},
              {"type":"network","name":"b","request":{"method":"PUT","url":"https://x.example/to",\#(request)}}]}
            """#)
        #expect(ending.state == .succeeded, "\(ending.errors)")
        return calls.all.last
    }

    @Test func `is passed on with its coding`() async throws {
        let put = try #require(try await sent(#""artifact":"a""#))
        #expect(put.body == Self.packed.bytes)
        #expect(put.value(of: "content-type") == "application/json")
        #expect(put.value(of: "content-encoding") == "gzip")
        let own = try await sent(#""headers":{"Content-Encoding":"x-gzip"},"artifact":"a""#)
        #expect(own?.fields.filter { $0.name.lowercased() == "content-encoding" }.map(\.value) == ["x-gzip"])
    }

    @Test(arguments: [
        ("gzip", "application/gzip"), ("zstd", "application/zstd"), ("br", "application/octet-stream"),
    ])
    func `is of the type of its coding as a part of a form`(coding: String, type: String) async throws {
        let content = SomeContent("application/json", [1, 2], coding: coding)
        let request = #""multipart":[{"name":"f","filename":"a","artifact":"a"}]"#
        let form = try #require(try await sent(request, content))
        let text = String(decoding: try #require(form.body), as: UTF8.self)
        #expect(text.contains("\r\nContent-Type: \(type)\r\n"))
        #expect(form.value(of: "content-encoding") == nil)
    }

    @Test func `keeps its coding in its stored form`() throws {
        var writer = JSONWriter()
        Self.packed.result.write(to: &writer)
        let stored = try OperationResult(stored: JSONParser.parse(writer.bytes))
        #expect(stored == Self.packed.result)
        #expect(stored.contentCoding == "gzip")
    }
}

extension HTTPCall {
    fileprivate func value(of name: String) -> String? {
        fields.first { $0.name.lowercased() == name }?.value
    }
}
