import HTTPMessage
import StrictJSON
import Testing

@testable import JobSpec

@Suite struct `The curl lines of a hostile job` {
    /// A job with texts in all places that take any.
    private static func job(_ texts: inout HostileTexts) -> JSONValue {
        func field(_ texts: inout HostileTexts) -> JSONValue {
            let bytes = texts.text().utf8.filter { $0 >= 0x20 && $0 != 0x7F }
            return .string("v" + String(decoding: bytes, as: UTF8.self))
        }
        func text(_ texts: inout HostileTexts) -> JSONValue { .string(texts.text()) }
        func name(_ texts: inout HostileTexts) -> String { "n" + texts.text() }
        let url: JSONValue = "https://a.example/;touch$IFS'canary'/$(x)?q='%EE%80%80CANARY%EE%80%81"
        let place = "/body/'; touch canary; $(touch canary)" + texts.text().replacingTildes
        let taken: JSONValue = ["$get": "login", "at": .string(place)]
        let contents: [(String, JSONValue)] = [
            ("json", .object(JSONObject([(name(&texts), text(&texts)), ("taken", taken)]))),
            ("text", ["$text": .string("{a}{b}"), "vars": ["a": text(&texts), "b": taken]]),
            ("form", .object(JSONObject([(name(&texts), text(&texts)), ("taken", taken)]))),
            (
                "multipart",
                [
                    ["name": .string(name(&texts)), "text": text(&texts)],
                    ["name": "f", "filename": text(&texts), "text": text(&texts)],
                    ["name": "j", "json": [text(&texts), taken]],
                ]
            ),
        ]
        let calls = contents.map { content -> JSONValue in
            [
                "type": "network",
                "request": .object(
                    JSONObject([
                        ("method", "POST"), ("url", url), ("query", ["q": text(&texts), "t": taken]),
                        ("headers", ["X-A": field(&texts), "X-B": ["$get": "login", "at": "/body/id"]]),
                        ("auth", ["type": "basic", "username": "u", "password": field(&texts)]), content,
                    ])),
            ]
        }
        let login: JSONValue = ["type": "network", "name": "login", "request": "https://a.example/"]
        return [
            "type": "group", "ordered": true, "operations": .array([login] + calls),
            "callbacks": [["request": "https://b.example/;touch$IFS'canary';$(touch$IFS'canary')"]],
        ]
    }

    private func scripts() throws -> [String] {
        var texts = HostileTexts()
        return try (0..<40).map { _ in
            let spec = try readSpec(String(decoding: Self.job(&texts).encoded(), as: UTF8.self))
            return CurlExport.script(for: spec, seed: "job_1")
        }
    }

    @Test(arguments: RealShell.names) func `run no command but curl`(name: String) throws {
        let shell = try RealShell(name)
        defer { shell.remove() }
        let script = try scripts().joined(separator: "\n")
        for isInteractive in [false, true] {
            let arguments = try shell.arguments(script.utf8, isInteractive: isInteractive)
            #expect(arguments.count { $0 == Array("https://a.example/".utf8) } == 40)
            #expect(!shell.hasRunMore, "\(isInteractive)")
        }
    }

    @Test(arguments: RealShell.names) func `pass on texts and values as they are`(name: String) throws {
        let shell = try RealShell(name)
        defer { shell.remove() }
        let spec = try readSpec(
            #"""
            {"type":"group","ordered":true,"operations":[
              {"type":"network","name":"login","request":"https://a.example/"},
              {"type":"network","request":{"method":"POST","url":"https://a.example/{id}","vars":{"id":
                {"$get":"login","at":"/body/id"}},"headers":{"X-A":"it'\u0301s \ue000X\ue001 y-0000000-y"},
                "json":{"a":"'\ufe0f;\ue000\ue001y-0000000-yz-0000000-z","b":{"$get":"login","at":"/body/id"}}}}]}
            """#)
        let script = CurlExport.script(for: spec, seed: "job_1")
        let value = "'\u{301}$(touch canary)`touch canary`\n\u{E000}"
        let arguments = try shell.arguments(script.utf8, environment: ["V_LOGIN_BODY_ID": value])
        let texts = arguments.map { String(decoding: $0, as: UTF8.self) }
        #expect(texts.contains { $0.utf8.elementsEqual("https://a.example/\(value)".utf8) }, "\(texts)")
        #expect(
            texts.contains { $0.utf8.elementsEqual("X-A: it'\u{301}s \u{E000}X\u{E001} y-0000000-y".utf8) })
        let json = "{\"a\":\"'\u{FE0F};\u{E000}\u{E001}y-0000000-yz-0000000-z\",\"b\":\"\(value)\"}"
        #expect(texts.contains { $0.utf8.elementsEqual(json.utf8) }, "\(texts)")
        #expect(!shell.hasRunMore)
    }

    @Test(arguments: RealShell.names) func `pipe bytes and values that are together`(name: String) throws {
        let shell = try RealShell(name)
        defer { shell.remove() }
        let spec = try readSpec(
            #"""
            {"type":"group","ordered":true,"operations":[
              {"type":"network","name":"login","request":"https://a.example/"},
              {"type":"network","request":{"method":"POST","url":"https://a.example/",
                "text":{"$text":"a\u0000{x}b","vars":{"x":{"$get":"login","at":"/body"}}}}}]}
            """#)
        let script = CurlExport.script(for: spec, seed: "job_1").replacing(
            "curl https", with: "cat; curl https")
        let output = try shell.arguments(script.utf8, environment: ["V_LOGIN_BODY": "x'y"])
        #expect(
            output.contains(Array("a".utf8)) && output.contains(Array("x'ybhttps://a.example/".utf8)),
            "\(script)")
    }

    @Test func `say so where they would need a part of a value`() throws {
        let spec = try readSpec(
            #"""
            {"type":"group","ordered":true,"operations":[
              {"type":"network","name":"login","request":"https://a.example/"},
              {"type":"network","request":{"url":"https://a.example/{id:3}0000-y",
                "vars":{"id":{"$get":"login","at":"/body"}}}}]}
            """#)
        let script = CurlExport.script(for: spec, seed: "job_1")
        #expect(script.contains("cannot be written as a line: It uses a part of a value"), "\(script)")
    }

    @Test func `have a variable for each value, with a name that no environment has`() throws {
        let spec = try readSpec(
            #"""
            {"type":"group","ordered":true,"operations":[
              {"type":"network","name":"aws_secret_access_key","request":"https://a.example/"},
              {"type":"network","request":{"method":"POST","url":"https://a.example/","json":[
                {"$get":"aws_secret_access_key","at":"/body"},{"$get":"aws_secret_access_key","at":"/body/a-b"},
                {"$get":"aws_secret_access_key","at":"/body/a_b"},{"$get":"aws_secret_access_key","at":"/body/a_b"}]}}]}
            """#)
        let script = CurlExport.script(for: spec, seed: "job_1")
        #expect(
            script.contains(
                #"'["'"$V_AWS_SECRET_ACCESS_KEY_BODY"'","'"$V_AWS_SECRET_ACCESS_KEY_BODY_A_B"'""#),
            "\(script)")
        let second = #""$V_AWS_SECRET_ACCESS_KEY_BODY_A_B_2""#
        #expect(script.split(separator: second).count == 3, "\(script)")
    }

    @Test func `name a path on a connection as a URL`() throws {
        let spec = try readSpec(
            #"{"type":"network","connection":"shop","request":{"url":"-o/tmp/x?u=http://b.example/"}}"#)
        let script = CurlExport.script(for: spec, seed: "job_1")
        #expect(script.contains(#"--url "$V_CONNECTION"'-o/tmp/x?u=http://b.example/'"#), "\(script)")
    }
}

extension String {
    /// Without `~`, which has a meaning in pointers.
    fileprivate var replacingTildes: String {
        String(decoding: utf8.map { $0 == 0x7E ? 0x2D : $0 }, as: UTF8.self)
    }
}
