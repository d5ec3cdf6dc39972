import HTTPMessage
@testable import JobKit
@testable import JobSpec
import StrictJSON
import Synchronization
import Testing

@Suite struct `A call built from a spec` {
    static let document: JSONValue = [
        "status": 200,
        "body": [
            "id": 7, "name": "a/b&c=d é", "evil": "x\r\nHost: y", "list": ["p q", 2], "pairs": ["k": "v w"],
            "no": .null, "none": [], "holes": [.null, "x", .null], "gone": ["k": .null],
        ],
    ]

    static let lookup = Binding.Lookup {
        (reference: Binding.Reference) throws(AOperationError) -> JSONValue in
        if let value = reference.at.resolve(in: document) ?? reference.fallback { return value }
        throw AOperationError(.referenceMissing, detail: "There is no \(reference.at).")
    }

    private func call(_ request: String) throws -> HTTPCall {
        let spec = try readSpec(
            #"{"type":"group","operations":[{"type":"value","name":"a","value":1},"#
                + #"{"type":"network","request":{\#(request)}}]}"#
        )
        let call = try #require(spec.operation.group?.operations[1].call)
        var made = try call.makeCall(lookup: Self.lookup, seed: "job_1", path: ["nightly", "charge"])
        let identity = try call.auth.credentials?.identity(lookup: Self.lookup, secrets: .named)
        if let field = identity?.field { try NetworkSpec.add(field.name, field.value, to: &made) }
        return made
    }

    private func get(_ name: String) -> String { #"{"$get":"a","at":"/body/\#(name)"}"# }

    private func field(_ name: String, of call: HTTPCall) -> String? {
        call.fields.first { $0.name.lowercased() == name }?.value
    }

    @Test func `encodes values in the URL, so that nothing can be injected`() throws {
        let call = try call(
            #"""
            "url":"https://a.example/{id}/{name}{?list*,pairs*}",
            "vars":{"id":\#(get("id")),"name":\#(get("name")),"list":\#(get("list")),"pairs":\#(get("pairs"))},
            "query":{"q":\#(get("name")),"r":["1",null,"2"],"none":null,"flag":true}
            """#)
        #expect(
            call.url == "https://a.example/7/a%2Fb%26c%3Dd%20%C3%A9?list=p%20q&list=2&k=v%20w"
                + "&q=a%2Fb%26c%3Dd%20%C3%A9&r=1&r=2&flag=true")
    }

    @Test func `omits what is null or empty in an earlier answer from the URL, as RFC 6570 says`() throws {
        let vars = ["no", "none", "gone", "holes"].map { "\"\($0)\":\(get($0))" }.joined(separator: ",")
        let call = try call(
            #"""
            "url":"https://a.example/list{/no}{.gone*}{;none}{?no,none,gone*,holes*}{&no:3}","vars":{\#(vars)},
            "query":{"a":\#(get("no")),"b":\#(get("none")),"c":\#(get("holes"))}
            """#)
        #expect(call.url == "https://a.example/list?holes=x&c=x")
        let error = #expect(throws: AOperationError.self) {
            try self.call(#""url":"https://a.example/list{?c}","vars":{"c":\#(get("cursor"))}"#)
        }
        #expect(error?.code == .referenceMissing)
    }

    @Test(arguments: ["no", "none", "gone"])
    func `refuses a missing segment of the path before anything is sent`(name: String) {
        let error = #expect(throws: AOperationError.self) {
            try call(#""method":"DELETE","url":"https://a.example/users/{id}","vars":{"id":\#(get(name))}"#)
        }
        #expect(error?.code == .templateInvalid)
        #expect(error?.detail.contains("{/id}") == true)
    }

    @Test func `refuses a line break that comes from another answer`() {
        for request in [
            #""headers":{"X-Id":\#(get("evil"))}"#, #""auth":{"type":"bearer","token":\#(get("evil"))}"#,
            #""auth":{"type":"header","name":"X-Key","value":\#(get("evil"))}"#,
            #""headers":{"X-Id":{"$text":"v={v}","vars":{"v":\#(get("evil"))}}}"#,
        ] {
            let error = #expect(throws: AOperationError.self) {
                try call(#""url":"https://a.example/",\#(request)"#)
            }
            #expect(error?.code == .httpField)
        }
    }

    @Test func `names the missing value`() {
        let error = #expect(throws: AOperationError.self) {
            try call(#""url":"https://a.example/","json":{"a":[\#(get("nothing"))]}"#)
        }
        #expect(error?.code == .referenceMissing)
        #expect(error?.detail.contains("/body/nothing") == true)
    }

    @Test func `puts values into JSON whole`() throws {
        let call = try call(
            #""url":"https://a.example/","method":"PUT","json":{"id":\#(get("id")),"all":\#(get("list"))}"#)
        #expect(String(decoding: call.body ?? [], as: UTF8.self) == #"{"id":7,"all":["p q",2]}"#)
        #expect(field("content-type", of: call) == "application/json")
        #expect(call.method == "PUT")
    }

    @Test func `has forms, texts and bytes with their content types`() throws {
        let form = try call(
            #""url":"https://a.example/","form":{"a b":\#(get("name")),"l":["1","2"],"n":null}"#)
        #expect(String(decoding: form.body ?? [], as: UTF8.self) == "a+b=a%2Fb%26c%3Dd+%C3%A9&l=1&l=2")
        #expect(field("content-type", of: form) == "application/x-www-form-urlencoded")
        let text = try call(
            #""url":"https://a.example/","text":{"$text":"{{n}} = {n}","vars":{"n":\#(get("id"))}}"#)
        #expect(String(decoding: text.body ?? [], as: UTF8.self) == "{n} = 7")
        #expect(field("content-type", of: text) == "text/plain; charset=utf-8")
        let bytes = try call(
            #""url":"https://a.example/","base64":"AP8=","headers":{"content-type":"image/x"}"#)
        #expect(bytes.body == [0, 255])
        #expect(bytes.fields.filter { $0.name.lowercased() == "content-type" }.map(\.value) == ["image/x"])
        #expect(try call(#""url":"https://a.example/""#).body == nil)
    }

    @Test func `identifies itself`() throws {
        let basic = try call(
            #""url":"https://a.example/","auth":{"type":"basic","username":"Aladdin","password":"open sesame"}"#
        )
        #expect(field("authorization", of: basic) == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        let bearer = try call(#""url":"https://a.example/","auth":{"type":"bearer","token":\#(get("id"))}"#)
        #expect(field("authorization", of: bearer) == "Bearer 7")
        #expect(field("user-agent", of: bearer)?.hasPrefix("jobserver/") == true)
        let own = try call(#""url":"https://a.example/","headers":{"User-Agent":"mine"}"#)
        #expect(own.fields.filter { $0.name.lowercased() == "user-agent" }.map(\.value) == ["mine"])
    }

    @Test(arguments: [
        ("ada\\n", "pw", "username"), ("ada", "pw\\n", "password"), ("ada", "p\\u007fw", "password"),
    ])
    func `sends no Basic credentials with control characters`(
        name: String, word: String, member: String
    ) throws {
        // A secret has the line feed of the file that it was made from.
        let error = #expect(throws: AOperationError.self) {
            try call(
                #""url":"https://a.example/","auth":{"type":"basic","username":"\#(name)","password":"\#(word)"}"#
            )
        }
        #expect(error?.code == .httpField)
        #expect(error?.detail.hasPrefix("auth.\(member) has a line break") == true)
    }

    @Test func `has one idempotency key for all attempts`() throws {
        let first = try call(#""url":"https://a.example/","method":"POST","idempotency_key":"auto""#)
        let second = try call(#""url":"https://a.example/","method":"POST","idempotency_key":"auto""#)
        #expect(field("idempotency-key", of: first)?.contains("job_1") == true)
        #expect(field("idempotency-key", of: first) == field("idempotency-key", of: second))
        let fixed = try call(#""url":"https://a.example/","idempotency_key":"k-1""#)
        #expect(field("idempotency-key", of: fixed) == "k-1")
    }

    @Test func `by default follows redirects for GET and HEAD only`() throws {
        #expect(try call(#""url":"https://a.example/""#).redirectsMax == 5)
        #expect(try call(#""url":"https://a.example/","method":"POST""#).redirectsMax == 0)
        #expect(try call(#""url":"https://a.example/","method":"POST","redirects":2"#).redirectsMax == 2)
    }
}

@Suite struct `A predicate` {
    private func holds(_ predicate: String) throws -> Bool {
        let spec = try readSpec(
            #"{"type":"network","request":"http://a.example/","expect":{"that":\#(predicate)}}"#)
        let that = try #require(spec.operation.expect?.that)
        return try that.evaluate(
            document: [
                "body": [
                    "n": 5, "d": .number(JSONNumber(checkedText: "5.0")), "s": "done", "l": [1, "x"],
                    "o": ["k": .null], "t": true,
                ]
            ],
            lookup: `A call built from a spec`.lookup)
    }

    @Test(arguments: [
        (#"{"at":"/body/n","equals":5}"#, true), (#"{"at":"/body/d","equals":5}"#, true),
        (#"{"at":"/body/l","equals":[1.0,"x"]}"#, true), (#"{"at":"/body/n","equals":"5"}"#, false),
        (#"{"at":"/body/x","equals":null}"#, false), (#"{"at":"/body/o/k","equals":null}"#, true),
        (#"{"at":"/body/x","not_equals":1}"#, true), (#"{"at":"/body/n","not_equals":5.0}"#, false),
        (#"{"at":"/body/n","greater":4.9}"#, true), (#"{"at":"/body/n","greater":5}"#, false),
        (#"{"at":"/body/n","less":"9"}"#, false), (#"{"at":"/body/s","less":"e"}"#, true),
        (#"{"at":"/body/n","greater":1,"less":9}"#, true), (#"{"at":"/body/n","greater":1,"less":5}"#, false),
        (#"{"at":"/body/s","in":["open","done"]}"#, true), (#"{"at":"/body/x","in":[null]}"#, false),
        (#"{"at":"/body/x","exists":false}"#, true), (#"{"at":"/body/o/k","exists":true}"#, true),
        (#"{"at":"/body/s","matches":"^d.n"}"#, true), (#"{"at":"/body/n","matches":"5"}"#, false),
        (#"{"at":"/body/s","starts_with":"do"}"#, true), (#"{"at":"/body/s","contains":"on"}"#, true),
        (#"{"at":"/body/l","contains":1}"#, true), (#"{"at":"/body/o","contains":"k"}"#, true),
        (#"{"at":"/body/n","contains":5}"#, false), (#"{"all":[]}"#, true), (#"{"any":[]}"#, false),
        (#"{"not":{"at":"/body/t","equals":true}}"#, false),
        (#"{"any":[{"at":"/body/n","equals":1},{"all":[{"at":"/body/t","equals":true}]}]}"#, true),
    ])
    func `holds or not`(predicate: String, expected: Bool) throws {
        #expect(try holds(predicate) == expected)
    }
}

@Suite struct `An answer` {
    private func answer(_ status: Int, _ body: [UInt8] = [], type: String? = "application/json")
        -> HTTPCallAnswer
    {
        var fields: [(name: String, value: String)] = [
            ("Set-Cookie", "s=1"), ("X-A", "1"), ("Retry-After", "3"),
        ]
        if let type { fields.append(("Content-Type", type)) }
        return HTTPCallAnswer(status: status, fields: fields, body: body, exchange: HTTPCallExchange())
    }

    private func error(_ expectation: String, _ answer: HTTPCallAnswer) async throws -> AOperationError? {
        let spec = try readSpec(#"{"type":"network","request":"http://a.example/","expect":\#(expectation)}"#)
        let references = ReferenceReader(
            board: ResultBoard(), job: JobFacts(), place: .root, path: [], name: "call")
        return try await (spec.operation.expect ?? Expectation())
            .check(
                CapturedAnswer(answer: answer, result: OperationResult(answer: answer)), references)
    }

    @Test(arguments: [
        ("{}", 204, nil), ("{}", 404, "http.status"), (#"{"status":404}"#, 404, nil),
        (#"{"status":["2xx",404]}"#, 201, nil), (#"{"status":201}"#, 200, "expect.status"),
        (#"{"status":201}"#, 500, "http.status"), (#"{"content_type":"application/json"}"#, 200, nil),
        (#"{"content_type":"text/html"}"#, 200, "expect.content_type"),
        (#"{"content_type":"application/*"}"#, 200, nil), (#"{"content_type":"*/*"}"#, 200, nil),
        (#"{"content_type":["text/html","Application/JSON"]}"#, 200, nil),
        (#"{"content_type":"application/*+json"}"#, 200, "expect.content_type"),
        (#"{"content_type":"application/json; charset=utf-8"}"#, 200, "expect.content_type"),
        (#"{"status":999}"#, 999, nil), (#"{"status":["5xx"]}"#, 600, nil), ("{}", 999, "http.status"),
        (#"{"that":{"at":"/status","equals":200}}"#, 200, nil),
        (#"{"that":{"at":"/body/ok","equals":true}}"#, 200, "expect.that"),
    ])
    func `is checked against the expectations`(expectation: String, status: Int, code: String?) async throws {
        #expect(
            try await error(expectation, answer(status, Array(#"{"ok":false}"#.utf8)))?.code.description
                == code)
    }

    @Test(arguments: [
        (#"{"at":"/body/ok","equals":true}"#, #"/body/ok is false and must equal true"#),
        (
            #"{"at":"/body/state","equals":"done"}"#,
            #"/body/state is not there (/body has ok) and must equal "done""#
        ),
        (#"{"at":"/body","starts_with":"a"}"#, #"/body is an object and must start with "a""#),
        (
            #"{"all":[{"at":"/status","less":300},{"at":"/bytes","greater":99}]}"#,
            "/bytes is 12 and must be greater than 99"
        ),
        (
            #"{"any":[{"at":"/body/ok","in":[1,2]},{"at":"/body/no","exists":true}]}"#,
            "/body/ok is false and must be one of 2 values, and /body/no is not there (/body has ok) "
                + "and must be there"
        ),
    ])
    func `that violates a predicate names the position`(question: String, words: String) async throws {
        let expectation = "{\"that\":\(question)}"
        let error = try #require(try await error(expectation, answer(200, Array(#"{"ok":false}"#.utf8))))
        #expect(error.detail.contains(": \(words). "), "\(error.detail)")
    }

    @Test func `that is not JSON is reported by a predicate on its body`() async throws {
        let text = answer(200, Array("{".utf8))
        let error = try #require(try await error(#"{"that":{"at":"/body/ok","equals":1}}"#, text))
        #expect(error.detail.contains("the content is not JSON"))
    }

    @Test(
        arguments: [
            ("{", "application/json", "the content is not JSON: line 1, column 2"),
            ("\u{FEFF}{}", "application/json", "byte order mark"),
            (#"{"a":1,"a":2}"#, "application/json", "a"),
            (String(repeating: "[", count: 70) + String(repeating: "]", count: 70), "application/json", "64"),
            (#"{"ok":1}"#, "text/plain", "the content is text/plain, not JSON"),
            (#"{"ok":1}"#, nil, "no Content-Type"), ("", "application/json", "there is no content"),
            ("[1,2]", "application/json", "/body is an array of 2"),
        ] as [(String, String?, String)])
    func `without a referenced member lists its members`(text: String, type: String?, words: String)
        async throws
    {
        let answer = answer(200, Array(text.utf8), type: type)
        let error = try #require(try await error(#"{"that":{"at":"/body/ok","equals":1}}"#, answer))
        #expect(error.detail.contains(words), "\(error.detail)")
        #expect(!error.detail.contains("by its type and its text"))
    }

    @Test func `that is an error has the upstream's text, without credentials`() async throws {
        let error = try #require(try await error("{}", answer(503, Array("busy".utf8), type: "text/plain")))
        #expect(error.title == "Upstream answered 503")
        #expect(error.retryable)
        #expect(error.delivery == "answered")
        #expect(error.upstream?.status == 503)
        #expect(error.upstream?.bodyExcerpt == "busy")
        #expect(error.upstream?.headers["x-a"] == "1")
        #expect(error.upstream?.headers["set-cookie"] == nil)
        #expect(error.publishedError?.domain == "http")
        #expect(error.publishedError?.code == 503)
        #expect(error.detail.hasSuffix(" Its answer is in upstream.body_excerpt."))
    }

    @Test(arguments: [[], [0xFF, 0xFE]] as [[UInt8]])
    func `without a text to show does not point to one`(content: [UInt8]) async throws {
        for (spec, status) in [
            ("{}", 500), ("{}", 422), ("{}", 300), (#"{"that":{"at":"/status","equals":1}}"#, 200),
        ] {
            let error = try #require(try await error(spec, answer(status, content, type: "text/plain")))
            #expect(error.upstream?.bodyExcerpt == nil)
            #expect(!error.detail.contains("body_excerpt"), "\(status): \(error.detail)")
        }
    }

    @Test func `keeps at most 4 KiB of whole characters as an excerpt`() async throws {
        let long = try #require(
            try await error("{}", answer(500, Array(String(repeating: "é", count: 3_000).utf8))))
        #expect(long.upstream?.bodyExcerpt?.utf8.count == 4_096)
        let odd = try #require(
            try await error("{}", answer(500, Array(("a" + String(repeating: "é", count: 3_000)).utf8))))
        #expect(odd.upstream?.bodyExcerpt?.utf8.count == 4_095)
        #expect(try await error("{}", answer(500, [0xFF, 0xFE]))?.upstream?.bodyExcerpt == nil)
    }
}

@Suite struct `The title of an error` {
    @Test(arguments: [
        "body.encoding", "body.too_large", "body.truncated", "cancelled.transport", "connect.failed",
        "connect.refused", "connect.reset", "connect.unreachable", "dns.failed", "dns.not_found",
        "egress.blocked",
        "http.field", "http.method", "http.protocol", "http.redirect", "http.url", "internal.transport",
        "timeout.attempt", "timeout.connect", "timeout.first_byte", "tls.certificate_expired",
        "tls.certificate_untrusted", "tls.handshake", "tls.hostname_mismatch",
    ])
    func `of a call is a sentence and not its code`(code: String) {
        let title = ErrorCode(code).title
        #expect(title != code)
        #expect(title.contains(" "))
    }
}

/// Fails every call with a code.
private struct Failing: Transport {
    let code: String

    func send(_ call: HTTPCall) async throws(HTTPCallFailure) -> HTTPCallAnswer {
        throw HTTPCallFailure(
            code: code, detail: "It failed.", suggestion: "Change it.", phase: .wait, delivery: .sentUnknown)
    }

    func reach(_ probe: HTTPReachabilityProbe) async throws(HTTPCallFailure) {}
}

@Suite struct `The remedy for a call that reached a limit` {
    @Test(arguments: [
        ("timeout.first_byte", "timeouts.first_byte", "firstByteTimeout"),
        ("timeout.stall", "timeouts.stall", "stallTimeout"),
        ("timeout.attempt", "timeouts.attempt", "attemptTimeout"),
        ("body.too_large", "save.max_bytes", "answerBytesMax"),
        ("body.encoding", "http.compression", "route.compression"),
    ])
    func `names the member of a spec, and the property in Swift`(
        code: String, member: String, property: String
    ) async throws {
        let run = SpecRun()
        run.prepare.withLock { $0 = { $0.transport = Failing(code: code) } }
        let ofSpec = try await run.ending(
            #"{"type":"network","request":"http://a.example/","retry":{"max_attempts":1}}"#)
        #expect(ofSpec.errors.map(\.detail) == ["It failed. Change it. The member is \(member)."])
        let queue = AOperationQueue(environment: OperationEnvironment(transport: Failing(code: code)))
        let inSwift = await queue.add(
            ClosureOperation("call") { context in
                try await context.send(HTTPCall(method: "GET", url: "http://a.example/")).status
            }
        ).waitUntilFinished()
        #expect(inSwift.errors.map(\.detail) == ["It failed. Change it. The property is \(property)."])
    }

    @Test func `adds nothing where there is no limit`() async throws {
        let run = SpecRun()
        run.prepare.withLock { $0 = { $0.transport = Failing(code: "connect.refused") } }
        let ending = try await run.ending(
            #"{"type":"network","request":"http://a.example/","retry":{"max_attempts":1}}"#)
        #expect(ending.errors.map(\.detail) == ["It failed. Change it."])
    }
}
